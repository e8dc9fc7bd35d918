import { quote } from '../../language/printable.ts'
import type { Rule } from '../../review-types.ts'
import { defineRule } from './define-rule.ts'
import { descriptionProse } from './description-prose.ts'
import type { OffTopicKind } from './off-topic-phrases.ts'
import { suggestDescription } from './suggest-description.ts'

/** A rule against one kind of off-topic phrase in a description. */
export function phraseRule(id: string, kind: OffTopicKind, summary: string, problem: string): Rule {
  return defineRule(id, 'warning', summary, function* (tool) {
    const found = descriptionProse(tool).offTopic.find((phrase) => phrase?.kind === kind)
    if (found === undefined) return
    const message = `the description ${problem}: ${quote(found.phrase)}`
    yield { pointer: '/description', message, rewrite: suggestDescription(tool) }
  })
}
