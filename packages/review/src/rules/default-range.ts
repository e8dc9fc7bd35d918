import type { Rule } from '../review-types.ts'
import { own, type Schema } from '../schema/schema.ts'
import { schemaPlaces } from '../schema/schema-places.ts'
import { defineRule } from './support/define-rule.ts'
import { keyword, shown } from './support/fragment.ts'
import { placeName } from './support/place-name.ts'

export const defaultRange: Rule = defineRule(
  'default-range',
  'error',
  'A default is within its own limits.',
  function* (tool) {
    for (const place of schemaPlaces(tool).places) {
      const { pointer, schema } = place
      if (!Object.hasOwn(schema, 'default')) continue
      const broken = brokenLimit(schema, schema.default)
      if (broken === undefined) continue
      const [limit, nearest] = broken
      const message = `the default ${shown(schema.default)} of ${placeName(place)} breaks its ${limit} of ${shown(schema[limit])}`
      const rewrite =
        nearest === undefined ? keyword(limit, sizeOf(schema.default)) : keyword('default', nearest)
      yield { pointer, message, rewrite }
    }
  },
)

/** The limit, and the nearest value that keeps it, if there is one to be had. */
function brokenLimit(
  schema: Schema,
  value: unknown,
): readonly [limit: string, nearest?: unknown] | undefined {
  const limit = (keyword: string): number | undefined => {
    const found = own(schema, keyword)
    return typeof found === 'number' ? found : undefined
  }
  const below = (keyword: string, size: number): boolean => size < (limit(keyword) ?? size)
  const above = (keyword: string, size: number): boolean => size > (limit(keyword) ?? size)
  if (typeof value === 'number') {
    if (below('minimum', value)) return ['minimum', limit('minimum')]
    if (above('maximum', value)) return ['maximum', limit('maximum')]
    if (value <= (limit('exclusiveMinimum') ?? Number.NEGATIVE_INFINITY))
      return ['exclusiveMinimum', limit('exclusiveMinimum')! + 1]
    if (value >= (limit('exclusiveMaximum') ?? Number.POSITIVE_INFINITY))
      return ['exclusiveMaximum', limit('exclusiveMaximum')! - 1]
  }
  const [fewest, most] = typeof value === 'string' ? ['minLength', 'maxLength'] : ['minItems', 'maxItems']
  if (typeof value !== 'string' && !Array.isArray(value)) return undefined
  if (below(fewest!, value.length)) return [fewest!]
  return above(most!, value.length) ? [most!, value.slice(0, limit(most!))] : undefined
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : 0
}
