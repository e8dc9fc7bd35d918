import { expect, test } from 'vitest'
import type { HistoryItem } from '../history/history-item.ts'
import { balancedCut, findRecentPart } from './recent-part.ts'

/** `p` a prompt, `s` a summary, `a` an answer, `c` a response with calls, `r` results. */
function history(kinds: string): HistoryItem[] {
  return [...kinds].map((kind, id): HistoryItem => {
    const base = { id, at: 1 }
    if (kind === 'p' || kind === 's')
      return { ...base, type: 'user', source: kind === 'p' ? 'person' : 'summary', parts: [] }
    if (kind === 'r') return { ...base, type: 'results', results: [] }
    const parts = kind === 'c' ? [{ type: 'call' as const, callId: 'x', name: 'x', input: {} }] : []
    return { ...base, type: 'assistant', model: 'a:b', parts }
  })
}

test.each([
  ['', 0, null],
  ['p', 0, null],
  ['pa', 0, null],
  ['papa', 2, null],
  ['pap', 2, null],
  ['pcrapcrcr', 4, null],
  ['pacrpcrcrcr', 7, 4],
  ['spcrcrcra', 4, 1],
  // A message was added between two batches.
  ['pcrcrcrpcr', 7, null],
  // Something was sent between a call and its result.
  ['pacprcr', 2, null],
  // After a summary without a prompt.
  ['scrcrcr', 3, null],
])('%s', (kinds, start, prompt) => {
  const items = history(kinds)
  expect(findRecentPart(items)).toEqual({ start, prompt: prompt === null ? null : items[prompt] })
})

test.each([
  ['pcra', 1, 1],
  ['pcra', 2, 1],
  ['pcra', 3, 3],
  ['pcpra', 3, 1],
  ['pcpra', 2, 1],
  ['rrr', 2, 0],
])('%s cut at %i', (kinds, at, expected) => {
  expect(balancedCut(history(kinds), at)).toBe(expected)
})
