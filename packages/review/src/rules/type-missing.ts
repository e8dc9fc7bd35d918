import { nameWords } from '../language/name-words.ts'
import type { Rule } from '../review-types.ts'
import { own, type Schema, typesOf } from '../schema/schema.ts'
import { schemaPlaces } from '../schema/schema-places.ts'
import { defineRule } from './support/define-rule.ts'
import { keyword } from './support/fragment.ts'
import { jsonType } from './support/json-type.ts'
import { placeName } from './support/place-name.ts'

/** Each of these says what the value may be. */
const saysType = [
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
  'Every parameter has a type, and every array says of what.',
  function* (tool) {
    for (const place of schemaPlaces(tool).places) {
      const { pointer, name, schema, kind, raw } = place
      if (kind === 'property' && raw !== false && !saysType.some((word) => Object.hasOwn(schema, word))) {
        const { type, sure } = likelyType(name, schema)
        yield {
          pointer,
          message: `${placeName(place)} has no type`,
          rewrite: keyword('type', type),
          ...(sure && { fix: { pointer: `${pointer}/type`, value: type } }),
        }
      }
      if (kind === 'part' || !typesOf(schema).includes('array') || listed(schema)) continue
      const message = `${placeName(place)} does not say what is in it`
      yield { pointer, message, rewrite: keyword('items', { type: 'string' }) }
    }
  },
)

function listed(schema: Schema): boolean {
  return ['items', 'prefixItems', 'contains', 'enum', 'const', '$ref'].some((word) =>
    Object.hasOwn(schema, word),
  )
}

/** Sure is what other keywords of the schema say already. */
function likelyType(name: string, schema: Schema): { type: string; sure: boolean } {
  const has = (...words: string[]): boolean => words.some((word) => Object.hasOwn(schema, word))
  // Some write `required: true` where a parameter is described.
  if (has('properties', 'additionalProperties') || Array.isArray(own(schema, 'required')))
    return { type: 'object', sure: true }
  if (has('items', 'prefixItems', 'minItems', 'maxItems')) return { type: 'array', sure: true }
  // Texts and numbers are taken for each other easily, and a bound of the one lets the other through.
  if (has('minLength', 'maxLength', 'pattern', 'format')) return { type: 'string', sure: false }
  if (has('minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum'))
    return { type: 'number', sure: false }
  const value = own(schema, 'default')
  if (value !== undefined && value !== null)
    return { type: jsonType(value), sure: typeof value === 'boolean' }
  const words = nameWords(name)
  if (['is', 'has', 'include', 'enable', 'dry', 'force', 'recursive'].includes(words[0] ?? ''))
    return { type: 'boolean', sure: false }
  if (['count', 'limit', 'offset', 'number', 'size', 'seconds', 'ms', 'bytes'].includes(words.at(-1) ?? ''))
    return { type: 'integer', sure: false }
  return { type: 'string', sure: false }
}
