import type { Rule } from '../review-types.ts'
import { ownValue, type Schema } from '../schema/schema.ts'
import { walkSchema } from '../schema/walk-schema.ts'
import { defineRule } from './support/define-rule.ts'
import { formatKeyword, formatValue } from './support/format-json.ts'
import { subschemaLabel } from './support/subschema-label.ts'

export const defaultRange: Rule = defineRule(
  'default-range',
  'error',
  'A default is within its bounds.',
  function* (tool) {
    for (const subschema of walkSchema(tool).subschemas) {
      const { pointer, schema } = subschema
      if (!Object.hasOwn(schema, 'default')) continue
      const violation = violatedBound(schema, schema.default)
      if (violation === undefined) continue
      const [bound, nearest] = violation
      const message = `the default ${formatValue(schema.default)} of ${subschemaLabel(subschema)} violates its ${bound} of ${formatValue(schema[bound])}`
      const rewrite =
        nearest === undefined
          ? formatKeyword(bound, sizeOf(schema.default))
          : formatKeyword('default', nearest)
      yield { pointer, message, rewrite }
    }
  },
)

/** The violated bound, and the nearest valid value if one can be derived. */
function violatedBound(
  schema: Schema,
  value: unknown,
): readonly [bound: string, nearest?: unknown] | undefined {
  const bound = (keyword: string): number | undefined => {
    const found = ownValue(schema, keyword)
    return typeof found === 'number' ? found : undefined
  }
  const below = (keyword: string, size: number): boolean => size < (bound(keyword) ?? size)
  const above = (keyword: string, size: number): boolean => size > (bound(keyword) ?? size)
  if (typeof value === 'number') {
    if (below('minimum', value)) return ['minimum', bound('minimum')]
    if (above('maximum', value)) return ['maximum', bound('maximum')]
    if (value <= (bound('exclusiveMinimum') ?? Number.NEGATIVE_INFINITY))
      return ['exclusiveMinimum', bound('exclusiveMinimum')! + 1]
    if (value >= (bound('exclusiveMaximum') ?? Number.POSITIVE_INFINITY))
      return ['exclusiveMaximum', bound('exclusiveMaximum')! - 1]
  }
  const [min, max] = typeof value === 'string' ? ['minLength', 'maxLength'] : ['minItems', 'maxItems']
  if (typeof value !== 'string' && !Array.isArray(value)) return undefined
  if (below(min!, value.length)) return [min!]
  return above(max!, value.length) ? [max!, value.slice(0, bound(max!))] : undefined
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : 0
}
