import { clip } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { schemaPlaces } from '../schema/schema-places.ts'
import { defineRule } from './support/define-rule.ts'

/** What is too much for this review is too much for a model. */
export const schemaSize: Rule = defineRule(
  'schema-size',
  'warning',
  'The schema is not too deep or too large to be read.',
  function* (tool) {
    const { cutAt } = schemaPlaces(tool)
    if (cutAt === undefined) return
    const message = `the schema is too deep or too large; what comes from ${clip(cutAt, 200)} on was not looked at`
    yield { pointer: cutAt, message, rewrite: '{ "type": "object", "additionalProperties": true }' }
  },
)
