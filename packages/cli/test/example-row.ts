import type { CallRow } from '@curfew/core'

/** A call that has been running for 12 of 120 seconds at the time 12,000. */
export function exampleRow(fields: Partial<CallRow> = {}): CallRow {
  return {
    uid: 1,
    id: 'call-1',
    name: 'run_command',
    title: null,
    adapter: 'builtin',
    server: null,
    args: 'command="npm test"',
    status: 'executing',
    conversation: 'default',
    turn: 'turn-1',
    batch: 1,
    parentUid: null,
    meta: {},
    background: false,
    detachedTo: null,
    allowedBy: null,
    createdAt: 0,
    startedAt: 0,
    endedAt: null,
    elapsedMs: 0,
    updatedAt: 0,
    activeAt: 12_000,
    paused: false,
    pausedMs: 0,
    timeoutMs: 120_000,
    timeoutSource: 'call',
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
    preview: '',
    abandoned: false,
    problem: null,
    ...fields,
  }
}

/** The fields of a row with this live output. */
export function liveOutput(text: string): Partial<CallRow> {
  return {
    outputTail: text.slice(-2_000),
    outputLength: text.length,
    outputBytes: Buffer.byteLength(text),
    outputLines: text.split('\n').length - 1,
  }
}
