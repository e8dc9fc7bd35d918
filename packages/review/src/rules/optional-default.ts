import { nameWords } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { asArray, ownValue, resolveReference, type Schema, typesOf } from '../schema/schema.ts'
import { parametersOf, type Subschema } from '../schema/walk-schema.ts'
import { isStringArgv } from './argv-string.ts'
import { defineRule } from './support/define-rule.ts'
import { documentedDefault } from './support/documented-default.ts'
import { formatKeyword } from './support/format-json.ts'

/** A model that omits a parameter should know what happens then. */
export const optionalDefault: Rule = defineRule(
  'optional-default',
  'warning',
  'Optional parameters declare a default.',
  function* (tool) {
    for (const subschema of parametersOf(tool)) {
      const { pointer, name, schema, required } = subschema
      if (required !== 'never' || Object.hasOwn(schema, 'const')) continue
      const target = resolveReference(tool.inputSchema, schema)
      if (Object.hasOwn(schema, 'default') || Object.hasOwn(target, 'default')) continue
      const message = `parameter ${quote(name)} is optional but has no default`
      yield {
        pointer,
        message,
        rewrite: isStringArgv(tool, subschema) ? asRequired(subschema) : withDefault(name, schema, target),
      }
    }
  },
)

/** A command has no sensible default. */
function asRequired({ name, owner }: Subschema): string {
  return formatKeyword('required', [...asArray(owner?.required), name])
}

function withDefault(name: string, schema: Schema, target: Schema): string {
  const types = typesOf(target)
  const value = documentedDefault({ ...target, ...schema }, types) ?? likelyDefault(name, target)
  if (value !== undefined) return formatKeyword('default', value)
  return `${formatKeyword('type', [...types, 'null'])}, ${formatKeyword('default', null)}`
}

/** The neutral value of the declared type; `undefined` if it has none. */
function likelyDefault(name: string, schema: Schema): unknown {
  const choices = asArray(ownValue(schema, 'enum'))
  if (choices.length > 0) return choices.includes(null) ? null : choices[0]
  const variants = ['anyOf', 'oneOf'].flatMap((key) =>
    asArray(ownValue(schema, key)).slice(0, 20),
  ) as Schema[]
  const types = [...typesOf(schema), ...variants.flatMap((variant) => typesOf(Object(variant)))]
  if (types.includes('null')) return null
  switch (types[0]) {
    case 'boolean':
      return false
    case 'array':
      return hasMinimum(schema, 'minItems') ? undefined : []
    case 'object':
      return {}
    case 'integer':
    case 'number':
      return defaultNumber(name, schema)
    default:
      return hasMinimum(schema, 'minLength') || hasFormat(schema) ? undefined : ''
  }
}

/** An empty string matches no format, such as a date. */
function hasFormat(schema: Schema): boolean {
  return ownValue(schema, 'pattern') !== undefined || ownValue(schema, 'format') !== undefined
}

function hasMinimum(schema: Schema, limit: string): boolean {
  const minimum = ownValue(schema, limit)
  return typeof minimum === 'number' && minimum > 0
}

const countNouns = new Set(['results', 'items', 'entries', 'rows', 'records', 'matches', 'hits'])

/** Only some names have an obvious default: a limit of 0 is not the same as no limit. */
function defaultNumber(name: string, schema: Schema): number | undefined {
  const words = nameWords(name)
  const [min, max] = [ownValue(schema, 'minimum'), ownValue(schema, 'maximum')]
  const within = (value: number): number =>
    Math.min(Math.max(value, typeof min === 'number' ? min : value), typeof max === 'number' ? max : Infinity)
  if (words.includes('offset') || words.includes('skip')) return within(0)
  if (words.includes('page')) return within(words.includes('size') || words.includes('per') ? 20 : 1)
  const isCount = words.includes('limit') || words.includes('count') || countNouns.has(words.at(-1) ?? '')
  return isCount ? within(20) : undefined
}
