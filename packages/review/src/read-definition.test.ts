import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readDefinition } from './read-definition.ts'

test('reads a definition and drops invalid hints', () => {
  const definition = {
    name: 'get_weather',
    title: 'Weather',
    description: 'Get the weather.',
    inputSchema: { type: 'object', properties: {} },
    outputSchema: { type: 'object' },
    annotations: { title: 'W', readOnlyHint: true, idempotentHint: 'true', color: 'red' },
  }
  const { tool, findings } = readDefinition(definition, { location: { file: 'a.json', line: 3 } })
  expect(tool).toEqual({
    ...definition,
    usage: undefined,
    annotations: { title: 'W', readOnlyHint: true },
    curfew: undefined,
    location: { file: 'a.json', line: 3 },
    suppressions: [],
  })
  expect(findings).toMatchObject([
    { rule: 'definition-shape', pointer: '/annotations/idempotentHint', rewrite: '"idempotentHint": true' },
  ])
})

test('never throws, and reports fields of the wrong type', () => {
  const fields = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', '_meta']
  const definitions = fc.oneof(fc.anything(), fc.dictionary(fc.constantFrom(...fields), fc.anything()))
  fc.assert(
    fc.property(definitions, (definition) => {
      const { tool, findings } = readDefinition(definition)
      expect(typeof tool.name).toBe('string')
      if (tool.name === '') expect(findings.length).toBeGreaterThan(0)
      for (const { message, rewrite } of findings) expect([message, rewrite]).not.toContain('')
    }),
  )
})

test.each([
  [7, '', 'expected a tool definition, got a number'],
  [null, '', 'expected a tool definition, got null'],
  [{ inputSchema: {} }, '/name', 'the tool has no name'],
  [{ name: ' ', inputSchema: {} }, '/name', 'the name is blank'],
  [{ name: 5, inputSchema: {} }, '/name', 'name: expected a string, got a number'],
  [
    { name: 'a', description: [], inputSchema: {} },
    '/description',
    'description: expected a string, got an array',
  ],
  [
    { name: 'a'.repeat(129), inputSchema: {} },
    '/name',
    'the name has 129 characters; the protocol allows 128',
  ],
  [{ name: 'a' }, '/inputSchema', 'the inputSchema is missing'],
  [{ name: 'a', inputSchema: [] }, '/inputSchema', 'inputSchema: expected an object, got an array'],
  [
    { name: 'a', inputSchema: {}, outputSchema: 1 },
    '/outputSchema',
    'outputSchema: expected an object, got a number',
  ],
  [
    { name: 'a', inputSchema: {}, annotations: 'x' },
    '/annotations',
    'annotations: expected an object, got a string',
  ],
])('%j', (definition, pointer, message) => {
  expect(readDefinition(definition).findings).toMatchObject([{ severity: 'error', pointer, message }])
})
