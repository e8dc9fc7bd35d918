import type { ReviewedTool } from '../review-types.ts'
import { ownValue } from '../schema/schema.ts'
import { walkSchema } from '../schema/walk-schema.ts'
import type { Problem } from './support/define-rule.ts'
import { subschemaLabel } from './support/subschema-label.ts'

const pairs = [
  ['minimum', 'maximum'],
  ['exclusiveMinimum', 'exclusiveMaximum'],
  ['exclusiveMinimum', 'maximum'],
  ['minimum', 'exclusiveMaximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minContains', 'maxContains'],
] as const

/** No value can be valid. */
export function* boundsReversed(tool: ReviewedTool): Generator<Problem> {
  for (const subschema of walkSchema(tool).subschemas) {
    const { pointer, schema } = subschema
    for (const [low, high] of pairs) {
      const from = ownValue(schema, low)
      if (typeof from !== 'number') continue
      const to = ownValue(schema, high)
      if (typeof to !== 'number') continue
      const isExclusive = low.startsWith('exclusive') || high.startsWith('exclusive')
      if (isExclusive ? from < to : from <= to) continue
      const message = `${subschemaLabel(subschema)} has ${low} ${from} and ${high} ${to}: no value is valid`
      yield { pointer, message }
    }
  }
}
