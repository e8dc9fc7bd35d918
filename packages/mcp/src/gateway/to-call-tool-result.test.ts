import type { CallResult } from '@curfew/core'
import { expect, test } from 'vitest'
import type { CatalogEntry } from './catalog.ts'
import { toCallToolResult } from './to-call-tool-result.ts'

const entry = { tool: {}, upstream: {} } as CatalogEntry

function convert(value: object, content = '', maxContentLength = 100) {
  const call = { status: 'success', value, content, notices: [] } as unknown as CallResult
  return toCallToolResult(call, { entry, listsOutputSchema: false, maxContentLength })
}

test('the result of a server is not changed', () => {
  const value = { content: [{ type: 'text', text: 'a 😀' }], structuredContent: { a: 1 }, _meta: { b: 2 } }
  expect(convert(value)).toBe(value)
})

test('halves of surrogate pairs and NUL, which providers reject, are replaced', () => {
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
  const value = { content: [{ type: 'text', text: 'a \ud83d\0' }, image], structuredContent: { a: 1 } }
  expect(convert(value)).toEqual({
    content: [{ type: 'text', text: 'a \ufffd\ufffd' }, image],
    structuredContent: { a: 1 },
  })
})

test('a text beyond the limit is the one that the runtime has cut', () => {
  const value = { content: [{ type: 'text', text: 'a long text' }] }
  expect(convert(value, 'a ...', 5)).toEqual({ content: [{ type: 'text', text: 'a ...' }] })
})
