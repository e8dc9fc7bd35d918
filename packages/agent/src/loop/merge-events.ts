import type { AgentEvent } from './agent-event.ts'

/** The same events in fewer objects, for a reader that is far behind: texts are joined, and of each call only the latest row is kept. */
export function mergeEvents(events: readonly AgentEvent[]): AgentEvent[] {
  const latest = new Map<number, AgentEvent>()
  for (const event of events) if (event.type === 'call') latest.set(event.row.uid, event)
  const merged: AgentEvent[] = []
  for (const event of events) {
    if (event.type === 'call' && latest.get(event.row.uid) !== event) continue
    const last = merged.at(-1)
    if ((event.type === 'text' || event.type === 'reasoning') && last?.type === event.type)
      merged[merged.length - 1] = { type: event.type, text: last.text + event.text }
    else merged.push(event)
  }
  return merged
}
