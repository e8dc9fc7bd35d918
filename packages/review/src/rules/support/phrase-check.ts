import { quote } from '../../language/printable.ts'
import type { ReviewedTool } from '../../review-types.ts'
import type { Problem } from './define-rule.ts'
import { descriptionProse } from './description-prose.ts'
import { moveToUsage } from './move-to-usage.ts'
import type { OffTopicKind } from './off-topic-phrases.ts'

/** Checks a description for one kind of off-topic phrase. */
export function phraseCheck(kind: OffTopicKind, problem: string): (tool: ReviewedTool) => Problem[] {
  return (tool) => {
    const found = descriptionProse(tool)
      .offTopic.flat()
      .find((phrase) => phrase.kind === kind)
    if (found === undefined) return []
    const message = `the description ${problem}: ${quote(found.phrase)}`
    return [{ pointer: '/description', message, rewrite: moveToUsage(tool, kind) }]
  }
}
