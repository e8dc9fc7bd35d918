import { type CallRow, isTerminal } from '@curfew/core/rows'
import type { OutputPart } from './sources.ts'

/** The live output of a call, as `useCallOutput` returns it. Untrusted text: it may contain control sequences. */
export interface LiveOutput extends Pick<OutputPart, 'offset' | 'length' | 'ended'> {
  /** The end of the output, at most 262,144 characters. */
  readonly text: string
  /** What follows `text` for now: the end of the output that may become part of a secret. It is replaced once more arrives. */
  readonly pending: string
  /** The number of characters at the end that the runtime did not keep. `text` ends before them. */
  readonly dropped: number
  /** Why the output could not be read; it is read again when the call changes. `null` if there is no problem. */
  readonly error: unknown
}

const outputs = new WeakMap<CallRow, LiveOutput>()

/** The end of the output that a row contains. The same object for the same row. */
export function outputOfRow(row: CallRow): LiveOutput {
  const known = outputs.get(row)
  if (known !== undefined) return known
  const { outputTail: text, outputPending: pending, outputLength: length, status, detachedTo } = row
  const output = {
    text,
    pending,
    offset: Math.max(0, length - text.length),
    length,
    // The output of a call that was moved to the background continues.
    ended: isTerminal(status) && detachedTo === null,
    dropped: 0,
    error: null,
  }
  outputs.set(row, output)
  return output
}

export function isSameOutput(one: LiveOutput | undefined, other: LiveOutput | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return (
    one.length === other.length &&
    one.pending === other.pending &&
    one.offset === other.offset &&
    one.ended === other.ended &&
    one.dropped === other.dropped &&
    one.error === other.error &&
    one.text === other.text
  )
}
