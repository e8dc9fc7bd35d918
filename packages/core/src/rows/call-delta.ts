import type { CallRow } from '../call/call-row.ts'
import type { Question } from '../call/question.ts'

/** All calls and open questions at one revision. */
export interface CallSnapshot {
  /** Increases by one with every notification. Unrelated to the revisions of other runtimes. */
  readonly revision: number
  /** Live calls and the last finished ones (`keepFinished`), oldest first. The same array while no call changes. */
  readonly calls: readonly CallRow[]
  /** Oldest first. The same array while no question is opened or closed. */
  readonly questions: readonly Question[]
}

/** The changes after revision `from`, up to and including `revision`. */
export interface CallDelta {
  readonly from: number
  readonly revision: number
  readonly changed: readonly CallRow[]
  /** The uids of finished calls that are no longer kept. */
  readonly removed: readonly number[]
  readonly opened: readonly Question[]
  /** The ids of questions that no longer wait for an answer. */
  readonly closed: readonly number[]
}
