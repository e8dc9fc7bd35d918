import { expect, test } from 'vitest'
import type { HistoryItem } from '../history/history-item.ts'
import { estimateItem, estimateText, estimateTools } from './estimate-tokens.ts'

test.each([
  ['', 0],
  ['abcd', 1],
  ['abcde', 2],
  ['größe', 2],
  // Almost a token per character.
  ['漢字漢字', 3],
])('%s', (text, tokens) => {
  expect(estimateText(text)).toBe(tokens)
})

const base = { id: 1, at: 1 }
const data = 'A'.repeat(4_000_000)
const items: [string, HistoryItem, number][] = [
  [
    'text',
    { ...base, type: 'user', source: 'person', parts: [{ type: 'text', text: 'x'.repeat(400) }] },
    104,
  ],
  [
    'an image, whatever its size',
    {
      ...base,
      type: 'user',
      source: 'person',
      parts: [{ type: 'file', data: data.slice(0, 40_000), mediaType: 'image/png' }],
    },
    1_504,
  ],
  [
    'a long document',
    {
      ...base,
      type: 'results',
      results: [
        {
          callId: 'a',
          name: 'read',
          status: 'success',
          content: '',
          parts: [
            { type: 'file', data, mediaType: 'application/pdf' },
            { type: 'text', text: data },
          ],
        },
      ],
    },
    30_004,
  ],
  [
    'a text file',
    {
      ...base,
      type: 'user',
      source: 'person',
      parts: [{ type: 'file', data: data.slice(0, 4_000), mediaType: 'text/plain' }],
    },
    754,
  ],
  [
    'a call, but not reasoning',
    {
      ...base,
      type: 'assistant',
      model: 'a:b',
      parts: [
        { type: 'reasoning', text: data },
        { type: 'call', callId: 'a', name: 'read', input: { path: 'x'.repeat(29) } },
      ],
    },
    19,
  ],
]
test.each(items)('%s', (_, item, tokens) => {
  expect(estimateItem(item)).toBe(tokens)
})

test('a stub needs little', () => {
  const parameters = {
    type: 'object',
    properties: { path: { type: 'string', description: 'x'.repeat(400) } },
  }
  expect(estimateTools([{ name: 'read' }])).toBe(5)
  expect(estimateTools([{ name: 'read', description: 'Read.', parameters }])).toBeGreaterThan(100)
})
