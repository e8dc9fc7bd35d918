import { expect, test } from 'vitest'
import { readNamedCall, withoutClientPrefix } from './call-tool.ts'

test.each([
  [{ name: 'a' }, {}],
  [{ name: 'a', arguments: { b: 1 } }, { b: 1 }],
  [{ name: 'a', arguments: '{"b":{"c":[]}}' }, { b: { c: [] } }],
  [{ name: 'a', arguments: '' }, {}],
])('%j is a call of a', (given, params) => {
  expect(readNamedCall(given)).toEqual({ name: 'a', params })
})

test.each([
  {},
  { name: '' },
  { name: 7, arguments: {} },
  { name: 'call_tool', arguments: { name: 'a' } },
  { name: 'a', arguments: [] },
  { name: 'a', arguments: null },
  { name: 'a', arguments: '[1]' },
  { name: 'a', arguments: 'b=1' },
  { name: 'a', argument: {} },
  { name: 'a', arguments: '['.repeat(100_000) },
])('%j is not a call', (given) => {
  expect(readNamedCall(given)).toBeNull()
})

test.each([
  'mcp__curfew__pg__query',
  'mcp_curfew_pg__query',
  'curfew_pg__query',
  'curfew__pg__query',
  'pg__query',
])('%s is pg__query', (name) => {
  expect(withoutClientPrefix(name)).toBe('pg__query')
})

test.each(['curfews__query', 'my_curfew_query', 'mcp__pg__query'])('%s has no prefix', (name) => {
  expect(withoutClientPrefix(name)).toBe(name)
})
