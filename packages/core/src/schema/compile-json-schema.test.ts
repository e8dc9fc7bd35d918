import { describe, expect, it } from 'vitest'
import { niceTool, timeoutTool } from '../builtin/command-tools.ts'
import { sleepTool } from '../builtin/sleep-tool.ts'
import { storeSecretTool } from '../builtin/store-secret-tool.ts'
import { compileJsonSchema, compileOwnSchema } from './compile-json-schema.ts'
import type { JsonSchema } from './json-schema.ts'

const wrong: JsonSchema = { type: 'object', properties: { a: { type: 'strnig' } } }

describe('what schemas are held against', () => {
  it('a foreign one is refused where it breaks the schema of schemas', () => {
    expect(() => compileJsonSchema(wrong, 'parameters')).toThrow(
      /^parameters: not a valid JSON Schema: schema is invalid: data\/properties\/a\/type/,
    )
  })

  it('one of our own costs nothing until it is needed', () => {
    const validate = compileOwnSchema(wrong, 'parameters')
    expect(() => validate({ a: 1 })).toThrow('parameters: not a valid JSON Schema')
  })

  const own = [timeoutTool, niceTool, sleepTool, storeSecretTool].map(
    ({ name, schema }) => [name, schema.jsonSchema] as const,
  )
  it.each(own)('which is why ours have to be good: %s', (_, schema) => {
    expect(() => compileJsonSchema(schema, 'schema')).not.toThrow()
  })
})
