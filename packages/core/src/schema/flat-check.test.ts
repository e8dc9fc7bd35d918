import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ajvInstance } from './ajv-instance.ts'
import { flatCheck } from './flat-check.ts'
import type { JsonSchema } from './json-schema.ts'

const names = ['a', 'b', 'a/b', '~c', 'toString', '0']
const values = fc.oneof(
  fc.constantFrom(null, '', 'x', 0, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, true, undefined),
  fc.constantFrom<unknown>([], {}, [1]),
)
const schemas: fc.Arbitrary<JsonSchema> = fc.record(
  {
    type: fc.constant('object'),
    properties: fc.dictionary(
      fc.constantFrom(...names),
      fc.record(
        {
          type: fc.constantFrom('string', 'number', 'integer', 'boolean'),
          description: fc.constant('A parameter.'),
          default: fc.constantFrom<unknown>('x', 1, false, null, [1], {}),
        },
        { requiredKeys: ['type'] },
      ),
    ),
    required: fc.uniqueArray(fc.constantFrom(...names)),
    additionalProperties: fc.boolean(),
  },
  { requiredKeys: ['type'] },
)
const params = fc.oneof(values, fc.dictionary(fc.constantFrom(...names, 'extra'), values))

test('reports the same errors and fills in the same defaults as Ajv', () => {
  const ajv = ajvInstance('2020-12', false)
  const outcome = (
    check: (value: unknown) => boolean,
    value: unknown,
    errors: () => readonly object[],
  ): object => {
    const filled = structuredClone(value)
    const isValid = check(filled)
    const reported = isValid ? [] : errors()
    return { isValid, filled, reported: reported.map(comparable) }
  }
  fc.assert(
    fc.property(schemas, fc.array(params, { minLength: 1, maxLength: 5 }), (schema, list) => {
      const flat = flatCheck(schema)!
      const compiled = ajv.compile(structuredClone(schema))
      for (const value of list) {
        expect(outcome(flat, value, () => flat.errors!)).toEqual(
          outcome(compiled, value, () => compiled.errors!),
        )
      }
    }),
    { numRuns: 200 },
  )
})

test.each<[string, JsonSchema]>([
  ['another type', { type: 'array' }],
  ['a nested object', { type: 'object', properties: { a: { type: 'object' } } }],
  ['several types', { type: 'object', properties: { a: { type: ['string', 'null'] } } }],
  ['another keyword of a property', { type: 'object', properties: { a: { type: 'string', minLength: 1 } } }],
  ['another keyword', { type: 'object', minProperties: 1 }],
  ['a schema for other properties', { type: 'object', additionalProperties: { type: 'string' } }],
])('leaves %s to Ajv', (_, schema) => {
  expect(flatCheck(schema)).toBeNull()
})

/** The fields that issues are built from. */
function comparable(error: object): object {
  const { instancePath, keyword, message, params, parentSchema } = error as Record<string, unknown>
  const { missingProperty, additionalProperty } = params as Record<string, unknown>
  const known =
    keyword === 'additionalProperties' ? Object.keys(Object((parentSchema as JsonSchema).properties)) : null
  return {
    instancePath,
    keyword,
    missingProperty,
    additionalProperty,
    known,
    message: keyword === 'type' ? message : null,
  }
}
