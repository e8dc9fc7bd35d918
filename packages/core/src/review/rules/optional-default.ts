import { nameWords } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { listOf, own, resolveReference, type Schema, typesOf } from '../schema/schema.ts'
import { parametersOf } from '../schema/schema-places.ts'
import { defineRule } from './support/define-rule.ts'
import { keyword } from './support/fragment.ts'

/** A model that leaves something out should know what happens then. */
export const optionalDefault: Rule = defineRule(
  'optional-default',
  'warning',
  'Optional parameters declare a default.',
  function* (tool) {
    for (const { pointer, name, schema, required } of parametersOf(tool)) {
      if (required !== 'never' || Object.hasOwn(schema, 'const')) continue
      const target = resolveReference(tool.inputSchema, schema)
      if (Object.hasOwn(schema, 'default') || Object.hasOwn(target, 'default')) continue
      const message = `parameter ${quote(name)} is optional and has no default`
      const value = likelyDefault(name, target)
      const nullable = [...typesOf(target), 'null']
      const rewrite =
        value === undefined
          ? `${keyword('type', nullable)}, ${keyword('default', null)}`
          : keyword('default', value)
      yield { pointer, message, rewrite }
    }
  },
)

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
      return asksForMore(schema, 'minLength') || own(schema, 'pattern') !== undefined ? undefined : ''
  }
}

function asksForMore(schema: Schema, limit: string): boolean {
  const least = own(schema, limit)
  return typeof least === 'number' && least > 0
}

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
  return words.includes('limit') || words.includes('count') || words[0] === 'max' ? within(20) : undefined
}
