import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'

/** What a call that somebody stopped ends with. */
export function cancelled(reason: unknown): CurfewError {
  const plain = reason === undefined || (reason instanceof DOMException && reason.name === 'AbortError')
  const message = plain ? 'the call was cancelled' : `the call was cancelled: ${messageOf(reason)}`
  return new CurfewError('CANCELLED', message, { cause: reason })
}

/** What a call ends with when the call around it was stopped. Says why the outermost was, however deep it is nested. */
export function stoppedWith(outer: string, error: CurfewError): CurfewError {
  const first = error instanceof StoppedWith ? error.first : error
  return new StoppedWith(outer, first)
}

class StoppedWith extends CurfewError {
  readonly first: CurfewError

  constructor(outer: string, first: CurfewError) {
    super('CANCELLED', `the call was cancelled: ${outer}, which called it, was stopped: ${first.message}`, {
      cause: first,
    })
    this.first = first
  }
}
