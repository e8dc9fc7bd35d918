import type { OutputStream } from '../process/output-stream.ts'

/** A piece of a running call's live output, without secrets. */
export interface CallOutputEvent {
  readonly uid: number
  readonly stream: OutputStream
  readonly text: string
  /** The offset of `text` in the call's whole output, in characters. */
  readonly offset: number
  /**
   * What follows for now: the end of the output that may become part of a secret, as it may be shown. The next event of the call replaces it,
   * possibly with an empty `text`.
   */
  readonly pending: string
}
