import type { HistoryItem } from '../history/history-item.ts'

/** Batches of calls that stay as they are, because the model is working with them. */
const recentBatches = 2

export interface RecentPart {
  /** The index of its first item. What is before it may be shortened or summarized. */
  readonly start: number
  /** The person's last message, if it is before `start`. It is kept. */
  readonly prompt: HistoryItem | null
}

/** The person's last message and what followed it; only the last two batches if there were more. */
export function findRecentPart(items: readonly HistoryItem[]): RecentPart {
  const promptAt = items.findLastIndex((item) => item.type === 'user' && item.source === 'person')
  const batches = items.flatMap((item, index) => (item.type === 'results' && index > promptAt ? [index] : []))
  if (batches.length <= recentBatches)
    return { start: balancedCut(items, Math.max(promptAt, 0)), prompt: null }
  const first = batches.at(-recentBatches)!
  const start = balancedCut(
    items,
    items.findLastIndex((item, index) => item.type === 'assistant' && index < first),
  )
  return { start, prompt: promptAt >= 0 && promptAt < start ? items[promptAt]! : null }
}

/** The first place from this one to the left that is not between a call and its result. */
export function balancedCut(items: readonly HistoryItem[], at: number): number {
  for (let cut = at; cut > 0; cut--) if (isSafe(items, cut)) return cut
  return 0
}

function isSafe(items: readonly HistoryItem[], at: number): boolean {
  let next = at
  while (items[next]?.type === 'user') next++
  return items[next]?.type !== 'results'
}
