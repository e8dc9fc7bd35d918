import { nameWords } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { listOf, own, resolveReference, type Schema, typesOf } from '../schema/schema.ts'
import { parametersOf, type SchemaPlace } from '../schema/schema-places.ts'
import { isStringArgv } from './argv-string.ts'
import { defineRule } from './support/define-rule.ts'
import { keyword } from './support/fragment.ts'
import { saidDefault } from './support/said-default.ts'

/** A model that leaves something out should know what happens then. */
export const optionalDefault: Rule = defineRule(
  'optional-default',
  'warning',
  'Optional parameters declare a default.',
  function* (tool) {
    for (const place of parametersOf(tool)) {
      const { pointer, name, schema, required } = place
      if (required !== 'never' || Object.hasOwn(schema, 'const')) continue
      const target = resolveReference(tool.inputSchema, schema)
      if (Object.hasOwn(schema, 'default') || Object.hasOwn(target, 'default')) continue
      const message = `parameter ${quote(name)} is optional and has no default`
      yield {
        pointer,
        message,
        rewrite: isStringArgv(tool, place) ? asRequired(place) : withDefault(name, schema, target),
      }
    }
  },
)

/** No command goes without saying. */
function asRequired({ name, owner }: SchemaPlace): string {
  return keyword('required', [...listOf(owner?.required), name])
}

function withDefault(name: string, schema: Schema, target: Schema): string {
  const types = typesOf(target)
  const value = saidDefault({ ...target, ...schema }, types) ?? likelyDefault(name, target)
  if (value !== undefined) return keyword('default', value)
  return `${keyword('type', [...types, 'null'])}, ${keyword('default', null)}`
}

/** The value that stands for "nothing said", of the declared type; undefined if that type has none. */
function likelyDefault(name: string, schema: Schema): unknown {
  const choices = listOf(own(schema, 'enum'))
  if (choices.length > 0) return choices.includes(null) ? null : choices[0]
  const variants = ['anyOf', 'oneOf'].flatMap((key) => listOf(own(schema, key)).slice(0, 20)) as Schema[]
  const types = [...typesOf(schema), ...variants.flatMap((variant) => typesOf(Object(variant)))]
  if (types.includes('null')) return null
  switch (types[0]) {
    case 'boolean':
      return false
    case 'array':
      return asksForMore(schema, 'minItems') ? undefined : []
    case 'object':
      return {}
    case 'integer':
    case 'number':
      return usualNumber(name, schema)
    default:
      return asksForMore(schema, 'minLength') || hasForm(schema) ? undefined : ''
  }
}

/** No empty text is a date or an address. */
function hasForm(schema: Schema): boolean {
  return own(schema, 'pattern') !== undefined || own(schema, 'format') !== undefined
}

function asksForMore(schema: Schema, limit: string): boolean {
  const least = own(schema, limit)
  return typeof least === 'number' && least > 0
}

const counted = new Set(['results', 'items', 'entries', 'rows', 'records', 'matches', 'hits'])

/** Zero lines are not the same as no limit: only some names have a number that goes without saying. */
function usualNumber(name: string, schema: Schema): number | undefined {
  const words = nameWords(name)
  const [least, most] = [own(schema, 'minimum'), own(schema, 'maximum')]
  const within = (value: number): number =>
    Math.min(
      Math.max(value, typeof least === 'number' ? least : value),
      typeof most === 'number' ? most : Infinity,
    )
  if (words.includes('offset') || words.includes('skip')) return within(0)
  if (words.includes('page')) return within(words.includes('size') || words.includes('per') ? 20 : 1)
  const isCount = words.includes('limit') || words.includes('count') || counted.has(words.at(-1) ?? '')
  return isCount ? within(20) : undefined
}
