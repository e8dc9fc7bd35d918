import { expect, test } from 'vitest'
import { readNamedCall } from './call-tool.ts'

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
