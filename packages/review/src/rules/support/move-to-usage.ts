import type { ReviewedTool } from '../../review-types.ts'
import { parametersOf } from '../../schema/walk-schema.ts'
import { descriptionProse } from './description-prose.ts'
import type { OffTopicKind } from './off-topic-phrases.ts'

/**
 * Moves whole sentences that do not help to make the call from `description` to `usage`. Only for Curfew's own format,
 * and only if nothing that a call needs is moved and the first sentence has no phrase of the reported kind.
 */
export function moveToUsage(tool: ReviewedTool, kind?: OffTopicKind): string | undefined {
  const { description = '', usage, curfew } = tool
  if (curfew === undefined || usage !== undefined) return undefined
  const { sentences, offTopic } = descriptionProse(tool)
  // Otherwise there are lists, markup or line breaks, or more than was classified.
  if (sentences.join(' ') !== description.trim() || sentences.length > offTopic.length) return undefined
  if (offTopic[0]?.some((phrase) => phrase.kind === kind)) return undefined
  const isMoved = sentences.map((_, index) => index > 0 && offTopic[index]!.length > 0)
  const moved = sentences.filter((_, index) => isMoved[index])
  if (moved.length === 0 || moved.some((sentence) => helpsToCall(tool, sentence))) return undefined
  const kept = sentences.filter((_, index) => !isMoved[index])
  // What stays must not refer to what was moved.
  if (
    kept
      .slice(1)
      .some((sentence) =>
        /^(?:they|it|that|this|these|those|otherwise|then|(?:if|when) (?:that|this|it|they|not))\b/i.test(
          sentence,
        ),
      )
  )
    return undefined
  return `"description": ${JSON.stringify(kept.join(' '))}, "usage": ${JSON.stringify(moved.join(' '))}`
}

/** Whether a sentence has limits, units, places or parameters. */
function helpsToCall(tool: ReviewedTool, sentence: string): boolean {
  if (
    /\d|\b(?:must|only|limit\w*|maximum|minimum|path|directory|folder|format|default\w*)\b|\//i.test(sentence)
  )
    return true
  const words = new Set(sentence.toLowerCase().split(/[^\w-]+/))
  return parametersOf(tool).some(({ name }) => words.has(name.toLowerCase()))
}
