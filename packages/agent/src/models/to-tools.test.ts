import type { ToolView } from '@curfew/core'
import { expect, test } from 'vitest'
import { toTools } from './to-tools.ts'
import { createWireNames } from './wire-names.ts'

const google = { provider: 'google.generative-ai' }
const anthropic = { provider: 'anthropic.messages' }

const views: ToolView[] = [
  {
    name: 'write',
    description: 'Write a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  { name: 'read' },
  { name: 'api/v1.get', description: 'Get it.' },
]

test('the list does not depend on the order of registration', () => {
  const bytes = JSON.stringify(toTools(views, google).tools)
  expect(JSON.stringify(toTools([...views].reverse(), google).tools)).toBe(bytes)
  expect(JSON.stringify(toTools([...views, ...views], google).tools)).toBe(bytes)
  expect(toTools(views, google).tools).toEqual([
    {
      type: 'function',
      name: expect.stringMatching(/^api_v1_get_[0-9a-f]{12}$/),
      description: 'Get it.',
      inputSchema: { type: 'object', properties: {} },
    },
    { type: 'function', name: 'read', inputSchema: { type: 'object', properties: {} } },
    {
      type: 'function',
      name: 'write',
      description: 'Write a file.',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  ])
})

test('the last tool has a cache marker for Anthropic', () => {
  const marked = toTools(views, anthropic).tools.map(({ providerOptions }) => providerOptions !== undefined)
  expect(marked).toEqual([false, false, true])
  expect(toTools([], anthropic).tools).toEqual([])
})

test('schemas that providers reject become object schemas with all properties', () => {
  const parameters = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    anyOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: { type: 'number' } } }, true, null],
    description: 'Either a or b.',
    additionalProperties: false,
  }
  const { tools } = toTools([{ name: 'x', parameters }], google)
  expect(tools[0]?.inputSchema).toEqual({
    description: 'Either a or b.',
    additionalProperties: false,
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'number' } },
  })
})

test('every name that the runtime allows is mapped to a valid one, and back', () => {
  const all = [
    'read',
    'a.b',
    'a/b',
    'a_b',
    'constructor',
    '__proto__',
    '-x',
    '9lives',
    'x'.repeat(64),
    'x'.repeat(65),
    'x'.repeat(128),
    `${'x'.repeat(127)}y`,
  ]
  const names = createWireNames(all)
  const wire = all.map((name) => names.toWire(name))
  expect(new Set(wire).size).toBe(all.length)
  for (const name of wire) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/)
  expect(wire.map((name) => names.fromWire(name))).toEqual(all)
  expect(names.toWire('read')).toBe('read')
  // The providers' packages look names up in plain objects.
  for (const name of wire) expect(name in Object.prototype).toBe(false)
  expect(names.fromWire('made_up')).toBe('made_up')
  expect(names.fromWire('__proto__')).toBe('__proto__')
})
