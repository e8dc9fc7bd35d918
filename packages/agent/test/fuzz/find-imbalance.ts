import type { HistoryItem } from '@curfew/agent'

/** What is wrong with the pairs of calls and results: every call is followed by exactly one result, in the same order. */
export function findImbalance(items: readonly HistoryItem[]): string | null {
  for (const [index, item] of items.entries()) {
    const calls =
      item.type === 'assistant'
        ? item.parts.flatMap((part) => (part.type === 'call' ? [part.callId] : []))
        : []
    const next = items[index + 1]
    const results = next?.type === 'results' ? next.results.map(({ callId }) => callId) : []
    if (JSON.stringify(calls) !== JSON.stringify(results))
      return `item ${item.id} has the calls ${JSON.stringify(calls)} and the results ${JSON.stringify(results)}`
  }
  return null
}
