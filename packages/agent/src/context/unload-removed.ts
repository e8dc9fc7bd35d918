import type { Conversation } from '@curfew/core'
import type { HistoryItem } from '../history/history-item.ts'

/**
 * Unloads stubs whose definition was removed from the history, so that the model sees it again before a call runs without arguments. A stub
 * that was never shown, but called correctly, counts as loaded as long as such a call is in the history.
 */
export function unloadRemoved(
  conversation: Conversation,
  before: readonly HistoryItem[],
  after: readonly HistoryItem[],
): void {
  const loaded = conversation.loadedTools()
  if (loaded.length === 0) return
  const wereShown = toolsIn(before).shown
  const { shown, called } = toolsIn(after)
  const kept = loaded.filter((name) => shown.has(name) || (!wereShown.has(name) && called.has(name)))
  if (kept.length < loaded.length) conversation.setLoadedTools(kept)
}

/** The tools whose definitions are in the history, and those that were called. */
export function toolsIn(items: readonly HistoryItem[]): {
  readonly shown: ReadonlySet<string>
  readonly called: ReadonlySet<string>
} {
  const shown = new Set<string>()
  const called = new Set<string>()
  for (const item of items) {
    if (item.type !== 'results') continue
    for (const { name, status, loaded } of item.results) {
      if (loaded === true) shown.add(name)
      else if (status === 'success') called.add(name)
    }
  }
  return { shown, called }
}
