import { nameWords, splitName } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { isGeneric } from './support/generic-words.ts'
import { suggestName } from './support/suggest-name.ts'

/** In the stub view a model sees only the name, and a verb without an object could be any tool. */
export const nameGeneric: Rule = defineRule(
  'name-generic',
  'warning',
  'The name says what the tool does, and to what.',
  function* (tool, siblings) {
    const words = nameWords(splitName(tool).local)
    if (!isGeneric(words)) return
    const rewrite = suggestName(tool, siblings)
    const message =
      words.length === 0
        ? `the name ${quote(tool.name)} contains no word`
        : `the name ${quote(tool.name)} does not say what it acts on`
    yield { pointer: '/name', message, rewrite }
  },
)
