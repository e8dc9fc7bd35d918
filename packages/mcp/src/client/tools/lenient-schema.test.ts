import { expect, test } from 'vitest'
import { lenientSchema } from './lenient-schema.ts'

interface Checked {
  readonly value?: unknown
  readonly issues?: readonly { readonly message: string }[]
}

function check(inputSchema: object, value: unknown): Checked {
  const schema = lenientSchema({ type: 'object', ...inputSchema }) as {
    readonly '~standard': { validate(value: unknown): Checked }
  }
  return schema['~standard'].validate(value)
}

test('a schema that takes forever does not block the process', () => {
  const steps = Array.from({ length: 64 }, (_, step) => {
    const $ref = `#/$defs/step${step + 1}`
    return [`step${step}`, { allOf: [{ $ref }, { $ref }] }] as const
  })
  const $defs = { ...Object.fromEntries(steps), step64: { type: 'string' } }
  const schema = { properties: { a: { $ref: '#/$defs/step0' } }, $defs }
  expect(check(schema, { a: 1 }).issues).toEqual([
    { message: 'comparing them with the schema takes too long', path: [] },
  ])
})

test('the arguments are not changed', () => {
  const value = { a: 1 }
  const schema = { properties: { a: { type: 'number' }, b: { default: 2, enum: [2] } } }
  expect(check(schema, value).value).toBe(value)
  expect(value).toEqual({ a: 1 })
})
