import type { HistoryItem } from '@curfew/agent'
import { expect, test } from 'vitest'
import { createTheme } from '../theme/theme.ts'
import { historyEntries } from './history-entries.ts'

const layout = { width: 40, theme: createTheme('plain') }

function shown(items: readonly HistoryItem[]): string[] {
  return historyEntries(items).flatMap((entry) =>
    'lines' in entry ? [...entry.lines(layout)] : [`${entry.type}: ${entry.text}`],
  )
}

test('messages, and one line for each call', () => {
  const items: HistoryItem[] = [
    { id: 1, at: 0, type: 'user', source: 'person', parts: [{ type: 'text', text: 'Hello' }] },
    {
      id: 2,
      at: 0,
      type: 'assistant',
      model: 'm',
      parts: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'I look.' },
        { type: 'call', callId: 'c1', name: 'read_file', input: {} },
      ],
    },
    {
      id: 3,
      at: 0,
      type: 'results',
      results: [
        { callId: 'c1', name: 'read_file', status: 'success', content: 'some\u001b[31m text' },
        { callId: 'c2', name: 'run', status: 'error', code: 'TOOL_TIMEOUT', content: 'TOOL_TIMEOUT: late' },
      ],
    },
  ]
  expect(shown(items)).toEqual([
    'person: Hello',
    'answer: I look.',
    '✓ read_file some text',
    '✗ run TOOL_TIMEOUT',
  ])
})

test('what was mentioned is not shown with the prompt that mentions it', () => {
  const parts = ['look @a.txt', 'Content of @a.txt:', '1 alpha'].map((text) => ({
    type: 'text' as const,
    text,
  }))
  expect(shown([{ id: 1, at: 0, type: 'user', source: 'person', parts }])).toEqual(['person: look @a.txt'])
})

test('of a long conversation, only the end', () => {
  const items = Array.from({ length: 150 }, (_, index): HistoryItem => {
    const parts = [{ type: 'text' as const, text: `message ${index}` }]
    return { id: index + 1, at: 0, type: 'user', source: 'person', parts }
  })
  const lines = shown(items)
  expect(lines).toHaveLength(101)
  expect(lines[0]).toBe('… 50 earlier messages are not shown')
  expect(lines.at(-1)).toBe('person: message 149')
})
