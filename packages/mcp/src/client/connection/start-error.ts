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

/** Adds to the message of `error` how the connection ended. */
export function startError(error: unknown, ending: ConnectionEnding, hasExited = false): StartError {
  return new StartError(`${messageOf(error)} (${formatEnding(ending)})`, { cause: error, ending, hasExited })
}

/** For an aborted start: the message is the abort reason, followed by the server's output from `error`. */
export function abortedStart(reason: unknown, error: unknown): StartError {
  const ending = error instanceof StartError ? error.ending : null
  const output = ending === null ? '' : formatOutput(ending)
  return new StartError(`${messageOf(reason)}${output}`, { cause: error, ending })
}
