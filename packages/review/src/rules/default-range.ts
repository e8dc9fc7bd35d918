import type { ReviewedTool } from '../review-types.ts'
import { ownValue, type Schema } from '../schema/schema.ts'
import { walkSchema } from '../schema/walk-schema.ts'
import type { Problem } from './support/define-rule.ts'
import { formatValue } from './support/format-json.ts'
import { subschemaLabel } from './support/subschema-label.ts'

/** Which of the two is wrong is unknown, so nothing is proposed. */
export function* defaultRange(tool: ReviewedTool): Generator<Problem> {
  for (const subschema of walkSchema(tool).subschemas) {
    const { pointer, schema } = subschema
    if (!Object.hasOwn(schema, 'default')) continue
    const bound = violatedBound(schema, schema.default)
    if (bound === undefined) continue
    const message = `the default ${formatValue(schema.default)} of ${subschemaLabel(subschema)} violates its ${bound} of ${formatValue(schema[bound])}`
    yield { pointer, message }
  }
}

function violatedBound(schema: Schema, value: unknown): string | undefined {
  const isViolated = (keyword: string, compare: (bound: number) => boolean): boolean => {
    const bound = ownValue(schema, keyword)
    return typeof bound === 'number' && compare(bound)
  }
  if (typeof value === 'number') {
    if (isViolated('minimum', (bound) => value < bound)) return 'minimum'
    if (isViolated('maximum', (bound) => value > bound)) return 'maximum'
    if (isViolated('exclusiveMinimum', (bound) => value <= bound)) return 'exclusiveMinimum'
    if (isViolated('exclusiveMaximum', (bound) => value >= bound)) return 'exclusiveMaximum'
  }
  if (typeof value !== 'string' && !Array.isArray(value)) return undefined
  const [min, max] = typeof value === 'string' ? ['minLength', 'maxLength'] : ['minItems', 'maxItems']
  if (isViolated(min!, (bound) => value.length < bound)) return min
  return isViolated(max!, (bound) => value.length > bound) ? max : undefined
}
