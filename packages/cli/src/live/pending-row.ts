import type { CallRow } from '@curfew/core'

export interface PendingOperation {
  readonly name: string
  /** What it does at the moment. */
  readonly phase: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly timeoutMs: number
}

/** A row of which nothing is known. */
export const emptyRow: CallRow = {
  uid: 0,
  id: '',
  name: '',
  title: null,
  adapter: null,
  server: null,
  args: '',
  status: 'executing',
  conversation: '',
  turn: null,
  batch: 0,
  parentUid: null,
  meta: {},
  background: false,
  detachedTo: null,
  allowedBy: null,
  createdAt: 0,
  startedAt: null,
  endedAt: null,
  elapsedMs: 0,
  updatedAt: 0,
  activeAt: 0,
  paused: false,
  pausedMs: 0,
  timeoutMs: null,
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

/** The row of something that takes time and is not a call, such as starting a server. */
export function pendingRow({ name, phase, startedAt, timeoutMs }: PendingOperation, now: number): CallRow {
  const elapsedMs = now - startedAt
  // Its clock may have been paused; then the limit does not apply to this time.
  const limit = elapsedMs > timeoutMs ? null : timeoutMs
  const times = {
    createdAt: startedAt,
    startedAt,
    elapsedMs,
    updatedAt: now,
    activeAt: now,
    timeoutMs: limit,
  }
  return { ...emptyRow, ...times, name, args: phase }
}
