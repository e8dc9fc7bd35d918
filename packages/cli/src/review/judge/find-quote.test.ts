import { fromDefinition } from '@curfew/review'
import { expect, it } from 'vitest'
import { findQuote } from './find-quote.ts'

const tool = fromDefinition({
  name: 'go',
  description: 'Go to a place.\nThen come back.',
  inputSchema: { type: 'object', properties: { 'a/b': { type: 'string', description: 'The place.' } } },
})

it.each([
  ['go', '/name'],
  ['Go to a place.\nThen', '/description'],
  ['The place', '/inputSchema/properties/a~1b/description'],
  ['a/b', '/inputSchema/properties/a~1b'],
  ['go to a place', null],
  ['Then  come', null],
  ['a', null],
  ['', null],
  ['properties', null],
  ['x'.repeat(2_000), null],
])('finds %j', (quote, pointer) => {
  expect(findQuote(tool, quote)).toBe(pointer)
})
