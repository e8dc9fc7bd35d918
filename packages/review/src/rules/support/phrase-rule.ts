import { quote } from '../../language/printable.ts'
import type { Rule } from '../../review-types.ts'
import { betterDescription } from './better-description.ts'
import { defineRule } from './define-rule.ts'
import type { Blame } from './phrases.ts'
import { proseOf } from './prose.ts'

/** A rule against one kind of phrase in a description. */
export function phraseRule(id: string, blame: Blame, summary: string, tells: string): Rule {
  return defineRule(id, 'warning', summary, function* (tool) {
    const found = proseOf(tool).blames.find((blamed) => blamed?.blame === blame)
    if (found === undefined) return
    const message = `the description ${tells}: ${quote(found.phrase)}`
    yield { pointer: '/description', message, rewrite: betterDescription(tool) }
  })
}
