import type { CallRecord } from './call-columns.ts'
import type { JournalRun } from './journal-call.ts'
import type { RunIdentity } from './run-liveness.ts'

/** Identifies this process in `runs`. */
export interface RunDescription
  extends Pick<JournalRun, 'name' | 'program' | 'version' | 'pid' | 'startedAt'>,
    RunIdentity {}

/** Passed to the thread when it starts. */
export interface WriterData {
  readonly path: string
  readonly project: string
  readonly run: RunDescription
  readonly maxAgeDays: number
  readonly maxBytes: number
  /** The number of batches that were written. Known at once, even if the event loop of the program is busy. */
  readonly written: Int32Array<SharedArrayBuffer>
}

/** A run that has not ended as far as the file says. */
export interface OpenRun extends RunIdentity {
  readonly id: number
  readonly seenAt: number
}

/** A call whose process ended before it did. */
export interface LostCall {
  /** `m4tq-17` */
  readonly id: string
  readonly tool: string
  /** Its last known state. */
  readonly lostIn: string
  /** Of the process that ended. */
  readonly pid: number
  readonly program: string
}

/** Sent to the thread. */
export type WriterRequest =
  /** The file exists and is ours. */
  | { readonly type: 'open' }
  | { readonly type: 'write'; readonly batch: WriterBatch }
  /** These runs ended without closing the journal. */
  | { readonly type: 'lost'; readonly runs: readonly number[] }
  | { readonly type: 'socket'; readonly path: string | null }
  | { readonly type: 'close' }

/** Cloned for the thread, which costs half as much as JSON. */
export interface WriterBatch {
  readonly calls: readonly CallRecord[]
  /** Calls by number, with the JSON of `late_end`. */
  readonly lateEnds: readonly (readonly [number: number, lateEnd: string])[]
  /** Calls that could not be recorded, in total. */
  readonly dropped: number
  /** Calls that are not finished. */
  readonly live: number
}

/** Sent by the thread. */
export type WriterResponse =
  | { readonly type: 'opened'; readonly name: string; readonly runs: readonly OpenRun[] }
  /** `written` has changed. */
  | { readonly type: 'written' }
  /** Writing is retried until it succeeds. */
  | { readonly type: 'retrying'; readonly problem: string }
  /** Writing is over. */
  | { readonly type: 'failed'; readonly problem: string }
  /** The file was deleted or replaced. The thread waits for `open`. */
  | { readonly type: 'missing' }
  /** Somebody has set the clock of the machine. */
  | { readonly type: 'jumped'; readonly jumpMs: number }
  /** Calls that were found to be lost. */
  | { readonly type: 'lost'; readonly calls: readonly LostCall[] }
  | { readonly type: 'closed' }
