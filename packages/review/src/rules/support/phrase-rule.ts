import { quote } from '../../language/printable.ts'
import type { Rule } from '../../review-types.ts'
import { defineRule } from './define-rule.ts'
import { descriptionProse } from './description-prose.ts'
import { moveToUsage } from './move-to-usage.ts'
import type { OffTopicKind } from './off-topic-phrases.ts'

/** A rule against one kind of off-topic phrase in a description. */
export function phraseRule(id: string, kind: OffTopicKind, summary: string, problem: string): Rule {
  return defineRule(id, { own: 'warning', published: 'note' }, summary, function* (tool) {
    const found = descriptionProse(tool)
      .offTopic.flat()
      .find((phrase) => phrase.kind === kind)
    if (found === undefined) return
    const message = `the description ${problem}: ${quote(found.phrase)}`
    yield { pointer: '/description', message, rewrite: moveToUsage(tool, kind) }
  })
}
