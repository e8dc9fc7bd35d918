import type { OutputStream } from '../process/output-stream.ts'

/** A piece of a running call's live output, without secrets. */
export interface CallOutputEvent {
  readonly uid: number
  readonly stream: OutputStream
  readonly text: string
  /** The offset of `text` in the call's whole output, in characters. */
  readonly offset: number
}
