import { messageOf } from '@curfew/core/internal'
import { type ConnectionEnding, formatEnding, formatOutput } from '../transport/connection-ending.ts'

interface StartErrorOptions {
  readonly cause: unknown
  /** `null` for a remote server. */
  readonly ending: ConnectionEnding | null
  /** The process exited on its own. @default false */
  readonly hasExited?: boolean
}

/** A server did not start. */
export class StartError extends Error {
  override readonly name: string = 'StartError'
  readonly ending: ConnectionEnding | null
  readonly hasExited: boolean

  constructor(message: string, { cause, ending, hasExited = false }: StartErrorOptions) {
    super(message, { cause })
    this.ending = ending
    this.hasExited = hasExited
  }
}

/** The reason `error` failed the start, with the ending of the connection. */
export function startError(error: unknown, ending: ConnectionEnding, hasExited = false): StartError {
  return new StartError(`${messageOf(error)} (${formatEnding(ending)})`, { cause: error, ending, hasExited })
}

/** The start was aborted: the reason is the abort's, and `error` only tells what the server printed. */
export function abortedStart(reason: unknown, error: unknown): StartError {
  const ending = error instanceof StartError ? error.ending : null
  const output = ending === null ? '' : formatOutput(ending)
  return new StartError(`${messageOf(reason)}${output}`, { cause: error, ending })
}
