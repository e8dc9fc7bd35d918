import type { CallRow } from '@curfew/core'
import { blankRow } from './blank-row.ts'

export interface PendingOperation {
  readonly name: string
  /** What it does at the moment. */
  readonly phase: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly timeoutMs: number
}

/** The row of something that takes time and is not a call, such as starting a server. */
export function pendingRow({ name, phase, startedAt, timeoutMs }: PendingOperation, now: number): CallRow {
  const elapsedMs = now - startedAt
  return {
    ...blankRow,
    name,
    args: phase,
    createdAt: startedAt,
    startedAt,
    elapsedMs,
    updatedAt: now,
    activeAt: now,
    // Its clock may have been paused; then the limit does not apply to this time.
    timeoutMs: elapsedMs > timeoutMs ? null : timeoutMs,
  }
}
