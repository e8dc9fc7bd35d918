import type { JournalCall } from '@curfew/journal'

type Recorded = Pick<JournalCall, 'status' | 'startedAt' | 'durationMs' | 'updatedAt' | 'pausedMs'>

/** How long a call ran; of one that is running, until now. `null` if it never ran, or nobody knows. */
export function callDuration(call: Recorded, now: number): number | null {
  const { status, startedAt, durationMs, updatedAt, pausedMs } = call
  if (startedAt === null) return null
  if (status !== 'executing') return durationMs === null ? null : Math.max(0, durationMs)
  // The journal is a few seconds behind, and has no duration yet if the call has just started.
  const elapsed = durationMs === null ? now - startedAt - pausedMs : durationMs + Math.max(0, now - updatedAt)
  return elapsed < 1_000 ? Math.max(0, elapsed) : Math.floor(elapsed / 1_000) * 1_000
}
