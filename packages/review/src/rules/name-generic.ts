import { nameWords, ownName } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { betterName } from './support/better-name.ts'
import { defineRule } from './support/define-rule.ts'
import { isGeneric } from './support/generic-words.ts'

/** In the stub view the name is all there is: a verb without an object could mean any tool. */
export const nameGeneric: Rule = defineRule(
  'name-generic',
  'warning',
  'The name says what is done to what.',
  function* (tool, siblings) {
    const words = nameWords(ownName(tool).local)
    if (!isGeneric(words)) return
    const rewrite = betterName(tool, siblings)
    const message =
      words.length === 0
        ? `the name ${quote(tool.name)} has no word in it`
        : `the name ${quote(tool.name)} does not say what it is about`
    yield { pointer: '/name', message, rewrite }
  },
)
