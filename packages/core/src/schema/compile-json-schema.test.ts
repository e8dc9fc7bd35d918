import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { niceTool, timeoutTool } from '../builtin/command-tools.ts'
import { sleepTool } from '../builtin/sleep-tool.ts'
import { storeSecretTool } from '../builtin/store-secret-tool.ts'
import { compileJsonSchema, compileOwnSchema } from './compile-json-schema.ts'
import type { JsonSchema } from './json-schema.ts'

const invalid: JsonSchema = { type: 'object', properties: { a: { type: 'strnig' } } }

describe('compileJsonSchema', () => {
  it('rejects a schema that its meta-schema rejects', () => {
    expect(() => compileJsonSchema(invalid, 'parameters')).toThrow(
      /^parameters: not a valid JSON Schema: \/properties\/a\/type must be equal to one of the allowed values/,
    )
  })

  it.each<[string, JsonSchema]>([
    ['a reference that cannot be resolved', { properties: { a: { $ref: '#/$defs/missing' } } }],
    ['an invalid pattern', { properties: { a: { pattern: '(' } } }],
    ['an invalid pattern as a key', { patternProperties: { '(': {} } }],
    ['an asynchronous schema', { $async: true }],
    ['nullable without a type', { properties: { a: { nullable: true } } }],
    ['an empty enum', { properties: { a: { enum: [] } } }],
    ['the id of draft-04', { properties: { a: { id: 'a' } } }],
    ['a function', { default: () => {} }],
  ])('rejects %s before first use, though the meta-schema accepts it', (_, schema) => {
    expect(() => compileJsonSchema({ type: 'object', ...schema }, 'parameters')).toThrow(
      'parameters: not a valid JSON Schema',
    )
  })

  it('compiles every schema that it accepted', () => {
    const accepted = fc.sample(schemas(2), 200).flatMap((schema) => {
      try {
        return [compileJsonSchema({ ...schema, type: 'object' }, 'parameters')]
      } catch {
        return []
      }
    })
    expect(accepted.length).toBeGreaterThan(10)
    for (const validate of accepted) expect(() => validate({ a: 1 })).not.toThrow()
  })

  it('is not affected by later changes to the schema', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const validate = compileJsonSchema(schema, 'parameters')
    schema.properties.a.type = 'number'
    expect(validate({ a: 'x' }).ok).toBe(true)
  })

  it('accepts a reference to a meta-schema', () => {
    const $ref = 'https://json-schema.org/draft/2020-12/schema'
    const validate = compileJsonSchema({ type: 'object', properties: { schema: { $ref } } }, 'parameters')
    expect(validate({ schema: { type: 'string' } }).ok).toBe(true)
    expect(validate({ schema: { type: 'strnig' } }).ok).toBe(false)
  })
})

describe('compileOwnSchema', () => {
  it('does nothing until first use', () => {
    const validate = compileOwnSchema(invalid, 'parameters')
    expect(() => validate({ a: 1 })).toThrow('parameters: not a valid JSON Schema')
  })

  const builtIn = [timeoutTool, niceTool, sleepTool, storeSecretTool].map(
    ({ name, schema }) => [name, schema.jsonSchema] as const,
  )
  it.each(builtIn)('is used only with valid schemas: %s', (_, schema) => {
    expect(() => compileJsonSchema(schema, 'schema')).not.toThrow()
  })
})

/** Schemas with any of the keywords that could fail to compile, nested `depth` levels deep. */
function schemas(depth: number): fc.Arbitrary<JsonSchema> {
  const inner = depth === 0 ? fc.constant<JsonSchema>({ type: 'string' }) : schemas(depth - 1)
  const named = fc.dictionary(fc.constantFrom('a', 'id', 'pattern'), inner, { maxKeys: 2 })
  const list = fc.array(inner, { minLength: 1, maxLength: 2 })
  const value = fc.constantFrom(null, 1, 'x', [], {})
  const keywords: readonly (readonly [string, fc.Arbitrary<unknown>])[] = [
    ['type', fc.constantFrom('string', 'integer', ['number', 'null'], 'array', 'object')],
    ['properties', named],
    ['required', fc.constantFrom([], ['a'])],
    ['additionalProperties', fc.oneof(fc.boolean(), inner)],
    ['unevaluatedProperties', fc.boolean()],
    ['propertyNames', inner],
    ['dependentRequired', fc.constant({ a: ['b'] })],
    ['dependentSchemas', named],
    ['items', inner],
    ['prefixItems', list],
    ['contains', inner],
    ['minContains', fc.nat(3)],
    ['maxContains', fc.nat(3)],
    ['uniqueItems', fc.boolean()],
    ['enum', fc.array(value, { maxLength: 2 })],
    ['const', value],
    ['default', value],
    ['format', fc.constantFrom('uri', 'unknown')],
    ['multipleOf', fc.constantFrom(1, 0.5)],
    ['nullable', fc.boolean()],
    ['id', fc.constantFrom('x', 1, null)],
    ['if', inner],
    ['then', inner],
    ['anyOf', list],
    ['not', inner],
    ['unknownKeyword', value],
  ]
  const keyword = fc
    .constantFrom(...keywords)
    .chain(([name, values]) => values.map((one) => [name, one] as const))
  return fc.array(keyword, { maxLength: 4 }).map((entries) => Object.fromEntries(entries))
}
