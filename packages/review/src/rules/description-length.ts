import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'
import { moveToUsage } from './support/move-to-usage.ts'

export const maxDescriptionLength = 300

/** Descriptions are part of every request, so each word costs tokens. */
export function* descriptionLength(tool: ReviewedTool): Generator<Problem> {
  const length = tool.description?.length ?? 0
  if (length <= maxDescriptionLength) return
  const message = `the description has ${length} characters, more than ${maxDescriptionLength}`
  yield { pointer: '/description', message, rewrite: moveToUsage(tool) }
}
