import { clip } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { walkSchema } from '../schema/walk-schema.ts'
import { defineRule } from './support/define-rule.ts'

export const schemaSize: Rule = defineRule(
  'schema-size',
  'note',
  'The schema is not too deep or too large to be reviewed.',
  function* (tool) {
    const { cutAt } = walkSchema(tool)
    if (cutAt === undefined) return
    const message = `the schema is too deep or too large; it was not reviewed from ${clip(cutAt, 200)} on`
    yield { pointer: cutAt, message }
  },
)
