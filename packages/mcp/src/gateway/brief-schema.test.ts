import { compileSchema } from '@curfew/core/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { briefInputSchema, briefOutputSchema } from './brief-schema.ts'

test('a parameter keeps its name, type, choices and first words', () => {
  const { schema, isShortened } = briefInputSchema({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Arguments',
    type: 'object',
    properties: {
      path: { type: 'string', title: 'Path', minLength: 1, description: 'The path of the file.' },
      mode: { type: 'string', enum: ['text', 'binary'], default: 'text', examples: ['text'] },
      header: { type: 'string', 'x-mcp-header': 'Region' },
      limit: { type: 'integer', description: 'The maximum number of lines. Long files are truncated.' },
    },
    required: ['path'],
    additionalProperties: false,
  })
  expect(schema).toEqual({
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The path of the file.' },
      mode: { type: 'string', enum: ['text', 'binary'], default: 'text' },
      header: { type: 'string', 'x-mcp-header': 'Region' },
      limit: { type: 'integer', description: 'The maximum number of lines…' },
    },
    required: ['path'],
  })
  expect(isShortened).toBe(true)
})

test('a schema without prose is not shortened', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }
  expect(briefInputSchema(schema).isShortened).toBe(false)
})

test('a schema with conditions is kept as it is, unless it is long', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { how: { enum: ['phone', 'email'] }, phone: { type: 'string' } },
    if: { properties: { how: { const: 'phone' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['phone'] },
    additionalProperties: false,
  }
  expect(briefInputSchema(schema)).toEqual({ schema, isShortened: false })
  const long = { ...schema, description: 'x'.repeat(1_000) }
  expect(briefInputSchema(long).schema).not.toHaveProperty('if')
})

test('what is nested in a large parameter is left out, and the parameter shows that', () => {
  const fields = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`field_${i}`, { type: 'string' }]))
  const large = { type: 'object', properties: fields }
  const small = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
  const { schema } = briefInputSchema({
    type: 'object',
    properties: { large, small, list: { type: 'array', items: large, description: 'The rows.' } },
  })
  expect(schema.properties).toEqual({
    large: { type: 'object', additionalProperties: true, description: '…' },
    small,
    list: { type: 'array', items: { type: 'object', additionalProperties: true }, description: 'The rows…' },
  })
})

test('references are resolved, also circular and unusable ones', () => {
  const { schema } = briefInputSchema({
    type: 'object',
    properties: {
      user: { $ref: '#/$defs/user' },
      node: { $ref: '#/$defs/node' },
      same: { $ref: '#/properties/user' },
      nowhere: { $ref: '#/$defs/missing' },
      elsewhere: { $ref: 'https://example.com/schema.json' },
    },
    $defs: {
      user: { type: 'string', description: 'A user.' },
      node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } },
      unused: { type: 'object', properties: { a: { type: 'string' } } },
    },
  })
  expect(schema).not.toHaveProperty('$defs')
  expect(schema.properties).toMatchObject({
    user: { type: 'string', description: 'A user.' },
    node: { type: 'object', properties: { next: { type: 'object' } }, description: '…' },
    same: { type: 'string' },
    nowhere: {},
    elsewhere: {},
  })
  for (const endless of [{ $ref: '#' }, { allOf: [{ $ref: '#' }, { $ref: '#' }] }])
    expect(JSON.stringify(briefInputSchema(endless).schema).length).toBeLessThan(100_000)
})

test('anything that a server may list instead of a schema becomes a schema', () => {
  for (const odd of [
    null,
    undefined,
    'text',
    7,
    [],
    true,
    { properties: [] },
    { required: 'a' },
    { anyOf: {} },
  ]) {
    expect(briefInputSchema(odd).schema).toBeInstanceOf(Object)
    expect(briefOutputSchema(odd)).toBeInstanceOf(Object)
  }
})

test('an output schema has only the names and types at the top level', () => {
  const brief = briefOutputSchema({
    type: 'object',
    properties: {
      id: { type: 'string', description: 'Its id.' },
      owner: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
    required: ['id', 'owner'],
    additionalProperties: false,
  })
  expect(brief).toEqual({ type: 'object', properties: { id: { type: 'string' }, owner: { type: 'object' } } })
})

const names = fc.constantFrom('a', 'b', 'ab')
const { schema: anySchema } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<object>(
      {},
      { type: 'string' },
      { type: ['integer', 'null'] },
      { enum: ['a', 1, null] },
      { const: 1 },
      { type: 'number', minimum: 1, multipleOf: 2 },
      { type: 'string', nullable: true },
      { $ref: '#/$defs/d' },
      { $ref: '#/$defs/d', minProperties: 2 },
    ),
    fc.record({ not: tie('schema') }),
    fc.tuple(tie('schema'), tie('schema')).map(([condition, other]) =>
      Object.fromEntries([
        ['if', condition],
        ['then', other],
        ['else', {}],
      ]),
    ),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record(
      { prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }), items: tie('schema') },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(names, tie('schema'), { maxKeys: 3 }),
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$'), tie('schema'), { maxKeys: 1 }),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        unevaluatedProperties: fc.boolean(),
        required: fc.uniqueArray(names, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
  ),
}))
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, 1, 2, 'a', true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3 }),
  ),
})).value

/** `null` if the schema cannot be used for validation. */
function accepts(schema: object, value: unknown): boolean | null {
  try {
    const checked = compileSchema({ type: 'object', ...schema }, 'schema').validate(structuredClone(value))
    return checked instanceof Promise ? null : checked.ok
  } catch {
    return null
  }
}

test('a brief schema accepts everything that the whole schema accepts', () => {
  let accepted = 0
  fc.assert(
    fc.property(anySchema, anySchema, fc.dictionary(names, values, { maxKeys: 3 }), (root, d, value) => {
      const whole = { ...root, $defs: { d } }
      if (accepts(whole, value) !== true) return
      accepted++
      expect(accepts(briefInputSchema(whole).schema, value)).toBe(true)
      expect(accepts(briefOutputSchema(whole), value)).toBe(true)
    }),
    { numRuns: 60 },
  )
  expect(accepted).toBeGreaterThan(5)
})
