import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../tool/define-tool.ts'
import { invalidParams } from './invalid-params.ts'

const wordCount = defineTool({
  name: 'word_count',
  description: 'Count the words in a string.',
  parameters: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      unit: { enum: ['words', 'lines'] },
      limit: { type: ['integer', 'null'] },
      options: { type: 'object', properties: { locale: { type: 'string' } }, additionalProperties: false },
    },
    required: ['text'],
    additionalProperties: false,
  },
  execute: () => 1,
})

async function messageFor(tool: Parameters<typeof invalidParams>[0], params: unknown): Promise<string> {
  const validation = await tool.schema.validate(params)
  return validation.ok ? 'valid' : invalidParams(tool, params, validation.issues).message
}

const listed =
  'Parameters: text (string, required), unit ("words" | "lines"), limit (integer or null), options (object)'

describe('invalidParams', () => {
  test('suggests a similar name and lists all parameters', async () => {
    expect(await messageFor(wordCount, { txt: 'a' })).toBe(
      'params of word_count: text: is required; ' +
        `txt: is not a parameter of this tool, did you mean "text"? ${listed}`,
    )
  })

  test('compares a nested key with its siblings', async () => {
    expect(await messageFor(wordCount, { text: 'a', options: { lokale: 'de' } })).toContain(
      'options.lokale: is not a parameter of this tool, did you mean "locale"?',
    )
  })

  test('reports an invalid value', async () => {
    expect(await messageFor(wordCount, { text: 7 })).toBe(
      `params of word_count: text: must be string. ${listed}`,
    )
  })

  test('suggests names even if the schema ignores unknown keys', async () => {
    const tool = defineTool({
      name: 'greet',
      description: 'Greet.',
      parameters: z.object({ person: z.string(), loud: z.boolean().optional() }),
      execute: () => 1,
    })
    const message = await messageFor(tool, { persn: 'you', loudness: 11 })
    expect(message).toContain('; persn: is not a parameter of this tool, did you mean "person"?')
    expect(message).toMatch(/\? Parameters: person \(string, required\), loud \(boolean\)$/)
  })

  test('reports that a tool takes no parameters', async () => {
    const tool = defineTool({ name: 'now', description: 'Return the time.', execute: () => 1 })
    expect(await messageFor(tool, { zone: 'UTC' })).toBe(
      'params of now: zone: is not a parameter of this tool. It takes no parameters',
    )
  })

  test('is short even for thousands of issues', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `parameter_${index}`)
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
    const tool = defineTool({
      name: 'wide',
      description: 'Take many parameters.',
      parameters: { type: 'object', properties, additionalProperties: false },
      execute: () => 1,
    })
    const sent = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`x${index}`.repeat(99), 1]))
    const message = await messageFor(tool, sent)
    expect(message).toContain('; and 49990 more')
    expect(message).toMatch(/parameter_19 \(string\), and 480 more$/)
    expect(message.length).toBeLessThan(6_000)
  })
})
