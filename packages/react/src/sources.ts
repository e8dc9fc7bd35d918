import type { AgentSnapshot } from '@curfew/agent'
import type { CallRow, CallSnapshot } from '@curfew/core/rows'

/** Where the hooks read calls from: a runtime, or a mirror of one in a browser. */
export interface CallSource {
  /** The same object while nothing changes. */
  getSnapshot(): CallSnapshot
  /** `undefined` if the call is unknown or no longer kept. */
  getCall(uid: number): CallRow | undefined
  /** Calls the listener after every change. Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void
  /** Calls the listener when this call's row has changed. May do nothing if the call is unknown. Returns an unsubscribe function. */
  subscribeCall(uid: number, listener: () => void): () => void
  /** Reads part of a call's live output. Without it, `useCallOutput` returns the end of the output that the row contains. */
  readOutput?(uid: number, from: number): Promise<OutputPart | null>
}

/** Part of a call's live output, as `runtime.readOutput` returns it. */
export interface OutputPart {
  readonly text: string
  /** The offset of `text`, in characters. */
  readonly offset: number
  /** Where to continue reading. */
  readonly next: number
  /** The total number of characters so far. */
  readonly length: number
  /** The call has ended, so `length` is final. */
  readonly ended: boolean
  /** The number of characters at the end that were not kept. */
  readonly dropped: number
}

/** Where the hooks read a conversation from: an agent. */
export interface ConversationSource {
  /** The same object while nothing changes. */
  getSnapshot(): AgentSnapshot
  /** Calls the listener after every change. Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void
}
