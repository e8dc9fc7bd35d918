import { stripHidden } from '../language/strip-hidden.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'

export function* descriptionMissing(tool: ReviewedTool): Generator<Problem> {
  if (tool.description !== undefined && stripHidden(tool.description).trim() !== '') return
  const message = tool.description === undefined ? 'there is no description' : 'the description is empty'
  yield { pointer: '/description', message }
}
