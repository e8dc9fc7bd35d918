import type { ReviewedTool } from '../review-types.ts'
import { asArray, asSchema, ownValue, type Schema, typesOf } from '../schema/schema.ts'
import { walkSchema } from '../schema/walk-schema.ts'
import type { Problem } from './support/define-rule.ts'
import { formatKeyword, formatValue } from './support/format-json.ts'
import { isOfType } from './support/json-type.ts'
import { subschemaLabel } from './support/subschema-label.ts'

export function* defaultType(tool: ReviewedTool): Generator<Problem> {
  for (const subschema of walkSchema(tool).subschemas) {
    const { pointer, schema } = subschema
    const types = declaredTypes(schema)
    if (types.length === 0 || !Object.hasOwn(schema, 'default') || isOfType(schema.default, types)) continue
    const value = schema.default
    const converted = convert(value, types)
    const message = `the default ${formatValue(value)} of ${subschemaLabel(subschema)} is not of type ${types.join(' or ')}`
    yield {
      pointer,
      message,
      ...(converted !== undefined && {
        rewrite: formatKeyword('default', converted),
        fix: { pointer: `${pointer}/default`, value: converted },
      }),
    }
  }
}

/** The declared types, or those of all variants if each declares some. */
function declaredTypes(schema: Schema): string[] {
  const types = typesOf(schema)
  if (types.length > 0 || ownValue(schema, 'type') !== undefined) return types
  const variants = [...asArray(ownValue(schema, 'anyOf')), ...asArray(ownValue(schema, 'oneOf'))].slice(0, 50)
  const each = variants.map((variant) => typesOf(asSchema(variant)))
  return each.every((found) => found.length > 0) ? [...new Set(each.flat())] : []
}

/** The value in the declared type: 5 for `"5"`. */
function convert(value: unknown, types: readonly string[]): unknown {
  if (typeof value === 'string' && value.length < 100) {
    const text = value.trim().toLowerCase()
    if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
    const number = text === '' ? Number.NaN : Number(text)
    // A number that would lose precision is not converted.
    if (String(number) === text && isOfType(number, types)) return number
    if (text === 'null' && types.includes('null')) return null
    if (text === '[]' && types.includes('array')) return []
    if (text === '{}' && types.includes('object')) return {}
  }
  if ((typeof value === 'number' || typeof value === 'boolean') && types.includes('string'))
    return String(value)
  return undefined
}
