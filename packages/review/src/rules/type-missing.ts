import { nameWords } from '../language/name-words.ts'
import type { Rule } from '../review-types.ts'
import { ownValue, type Schema, typesOf } from '../schema/schema.ts'
import { walkSchema } from '../schema/walk-schema.ts'
import { defineRule } from './support/define-rule.ts'
import { formatKeyword } from './support/format-json.ts'
import { jsonType } from './support/json-type.ts'
import { subschemaLabel } from './support/subschema-label.ts'

/** Keywords that constrain the type. */
const typeKeywords = [
  'type',
  'enum',
  'const',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
]

export const typeMissing: Rule = defineRule(
  'type-missing',
  'warning',
  'Every parameter has a type, and every array declares its items.',
  function* (tool) {
    for (const subschema of walkSchema(tool).subschemas) {
      const { pointer, name, schema, kind, raw } = subschema
      if (kind === 'property' && raw !== false && !typeKeywords.some((word) => Object.hasOwn(schema, word))) {
        const { type, sure } = inferType(name, schema)
        yield {
          pointer,
          message: `${subschemaLabel(subschema)} has no type`,
          rewrite: formatKeyword('type', type),
          ...(sure && { fix: { pointer: `${pointer}/type`, value: type } }),
        }
      }
      if (kind === 'part' || !typesOf(schema).includes('array') || declaresItems(schema)) continue
      const message = `${subschemaLabel(subschema)} does not declare its items`
      yield { pointer, message, rewrite: formatKeyword('items', { type: 'string' }) }
    }
  },
)

function declaresItems(schema: Schema): boolean {
  return ['items', 'prefixItems', 'contains', 'enum', 'const', '$ref'].some((word) =>
    Object.hasOwn(schema, word),
  )
}

/** `sure` if other keywords of the schema imply the type. */
function inferType(name: string, schema: Schema): { type: string; sure: boolean } {
  const has = (...words: string[]): boolean => words.some((word) => Object.hasOwn(schema, word))
  // A boolean `required` is a common mistake in the schema of a parameter.
  if (has('properties', 'additionalProperties') || Array.isArray(ownValue(schema, 'required')))
    return { type: 'object', sure: true }
  if (has('items', 'prefixItems', 'minItems', 'maxItems')) return { type: 'array', sure: true }
  // Not sure: a bound for strings lets numbers through, and vice versa.
  if (has('minLength', 'maxLength', 'pattern', 'format')) return { type: 'string', sure: false }
  if (has('minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum'))
    return { type: 'number', sure: false }
  const value = ownValue(schema, 'default')
  if (value !== undefined && value !== null)
    return { type: jsonType(value), sure: typeof value === 'boolean' }
  const words = nameWords(name)
  if (['is', 'has', 'include', 'enable', 'dry', 'force', 'recursive'].includes(words[0] ?? ''))
    return { type: 'boolean', sure: false }
  if (['count', 'limit', 'offset', 'number', 'size', 'seconds', 'ms', 'bytes'].includes(words.at(-1) ?? ''))
    return { type: 'integer', sure: false }
  return { type: 'string', sure: false }
}
