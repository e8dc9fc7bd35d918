import type { HistoryItem } from '@curfew/agent'
import { expect } from 'vitest'

/** Every call is followed by exactly one result, in order. */
export function expectBalanced(items: readonly HistoryItem[]): void {
  for (const [index, item] of items.entries()) {
    const calls =
      item.type === 'assistant' ? item.parts.flatMap((part) => (part.type === 'call' ? [part] : [])) : []
    const next = items[index + 1]
    if (calls.length === 0) expect(next?.type).not.toBe('results')
    else expect(next).toMatchObject({ type: 'results', results: calls.map(({ callId }) => ({ callId })) })
  }
}
