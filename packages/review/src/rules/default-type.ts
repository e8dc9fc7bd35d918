import type { Rule } from '../review-types.ts'
import { asSchema, listOf, own, type Schema, typesOf } from '../schema/schema.ts'
import { schemaPlaces } from '../schema/schema-places.ts'
import { defineRule } from './support/define-rule.ts'
import { keyword, shown } from './support/fragment.ts'
import { isOfType, jsonType } from './support/json-type.ts'
import { placeName } from './support/place-name.ts'

export const defaultType: Rule = defineRule(
  'default-type',
  'error',
  'A default has the declared type.',
  function* (tool) {
    for (const place of schemaPlaces(tool).places) {
      const { pointer, schema } = place
      const types = declaredTypes(schema)
      if (types.length === 0 || !Object.hasOwn(schema, 'default') || isOfType(schema.default, types)) continue
      const written = schema.default
      const meant = converted(written, types)
      const message = `the default ${shown(written)} of ${placeName(place)} is no ${types.join(' or ')}`
      const rewrite =
        meant === undefined ? keyword('type', [...types, jsonType(written)]) : keyword('default', meant)
      yield {
        pointer,
        message,
        rewrite,
        ...(meant !== undefined && { fix: { pointer: `${pointer}/default`, value: meant } }),
      }
    }
  },
)

/** Its own, or those of its variants if each of them declares some. */
function declaredTypes(schema: Schema): string[] {
  const types = typesOf(schema)
  if (types.length > 0 || own(schema, 'type') !== undefined) return types
  const variants = [...listOf(own(schema, 'anyOf')), ...listOf(own(schema, 'oneOf'))].slice(0, 50)
  const each = variants.map((variant) => typesOf(asSchema(variant)))
  return each.every((found) => found.length > 0) ? [...new Set(each.flat())] : []
}

/** The value that the text says: `"5"` is 5. */
function converted(value: unknown, types: readonly string[]): unknown {
  if (typeof value === 'string' && value.length < 100) {
    const text = value.trim().toLowerCase()
    if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
    const number = text === '' ? Number.NaN : Number(text)
    // What no number can hold stays as it is.
    if (String(number) === text && isOfType(number, types)) return number
    if (text === 'null' && types.includes('null')) return null
    if (text === '[]' && types.includes('array')) return []
    if (text === '{}' && types.includes('object')) return {}
  }
  if ((typeof value === 'number' || typeof value === 'boolean') && types.includes('string'))
    return String(value)
  return undefined
}
