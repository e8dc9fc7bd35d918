import type { ReviewedTool } from '../../review-types.ts'
import { parametersOf } from '../../schema/walk-schema.ts'
import { descriptionProse } from './description-prose.ts'
import { formatKeyword } from './format-json.ts'

/**
 * Moves whole sentences that do not help to make the call from `description` to `usage`. Only for Curfew's own format,
 * and only if nothing that a call needs is moved.
 */
export function moveToUsage(tool: ReviewedTool): string | undefined {
  const { description = '', usage, curfew } = tool
  if (curfew === undefined || usage !== undefined) return undefined
  const { sentences, offTopic } = descriptionProse(tool)
  // Otherwise there are lists, markup or line breaks.
  if (sentences.join(' ') !== description.trim()) return undefined
  const isMoved = sentences.map((_, index) => index > 0 && offTopic[index]!.length > 0)
  const moved = sentences.filter((_, index) => isMoved[index])
  if (moved.length === 0 || moved.some((sentence) => helpsToCall(tool, sentence))) return undefined
  const kept = sentences.filter((_, index) => !isMoved[index])
  return `${formatKeyword('description', kept.join(' '))}, ${formatKeyword('usage', moved.join(' '))}`
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
