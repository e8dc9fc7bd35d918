import type { CallRow } from '@curfew/core'

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
    uid: 0,
    id: '',
    name,
    title: null,
    adapter: null,
    server: null,
    args: phase,
    status: 'executing',
    conversation: '',
    turn: null,
    batch: 0,
    parentUid: null,
    meta: {},
    background: false,
    detachedTo: null,
    allowedBy: null,
    createdAt: startedAt,
    startedAt,
    endedAt: null,
    elapsedMs,
    updatedAt: now,
    // Nothing is known about its output.
    activeAt: now,
    paused: false,
    pausedMs: 0,
    // Its clock may have been paused; then the limit does not apply to this time.
    timeoutMs: elapsedMs > timeoutMs ? null : timeoutMs,
    timeoutSource: null,
    progress: null,
    heals: 0,
    outputTail: '',
    outputPending: '',
    outputLength: 0,
    outputBytes: 0,
    outputLines: 0,
    question: null,
    code: null,
    message: null,
    problem: null,
    preview: '',
    abandoned: false,
  }
}
