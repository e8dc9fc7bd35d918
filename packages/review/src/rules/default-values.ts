import type { ReviewedTool } from '../review-types.ts'
import { asArray, asSchema, isOfType, ownValue, type Schema, typesOf } from '../schema/schema.ts'
import { walkSchema } from '../schema/walk-schema.ts'
import type { Problem } from './support/define-rule.ts'
import { formatKeyword, formatValue } from './support/format-json.ts'
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
      ...replaceDefault(pointer, converted),
    }
  }
}

function replaceDefault(pointer: string, value: unknown): Pick<Problem, 'rewrite' | 'fix'> {
  if (value === undefined) return {}
  return { rewrite: formatKeyword('default', value), fix: { pointer: `${pointer}/default`, value } }
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

export function* defaultInEnum(tool: ReviewedTool): Generator<Problem> {
  for (const subschema of walkSchema(tool).subschemas) {
    const { pointer, schema } = subschema
    const choices = ownValue(schema, 'enum')
    if (!Array.isArray(choices) || choices.length === 0 || !Object.hasOwn(schema, 'default')) continue
    const value = schema.default
    if (isAmong(value, choices)) continue
    const similar = choices.filter((choice) => normalise(choice) === normalise(value))
    const intended = normalise(value) === '' || similar.length > 1 ? undefined : similar[0]
    const message = `the default ${formatValue(value)} of ${subschemaLabel(subschema)} is not one of its enum values`
    yield {
      pointer,
      message,
      // Only the case differs.
      ...replaceDefault(pointer, intended),
    }
  }
}

function isAmong(value: unknown, choices: readonly unknown[]): boolean {
  if (typeof value !== 'object' || value === null) return choices.includes(value)
  return choices.some((choice) => typeof choice === 'object' && formatValue(choice) === formatValue(value))
}

function normalise(value: unknown): string {
  return typeof value === 'object' ? '' : String(value).toLowerCase()
}

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
