import { clip } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import { walkSchema } from '../schema/walk-schema.ts'
import type { Problem } from './support/define-rule.ts'

export function* schemaSize(tool: ReviewedTool): Generator<Problem> {
  const { cutAt } = walkSchema(tool)
  if (cutAt === undefined) return
  const message = `the schema is too deep or too large; it was not reviewed from ${clip(cutAt, 200)} on`
  yield { pointer: cutAt, message }
}
