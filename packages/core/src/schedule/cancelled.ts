import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'

/** What a call that somebody stopped ends with. */
export function cancelled(reason: unknown): CurfewError {
  const plain = reason === undefined || (reason instanceof DOMException && reason.name === 'AbortError')
  const message = plain ? 'the call was cancelled' : `the call was cancelled: ${messageOf(reason)}`
  return new CurfewError('CANCELLED', message, { cause: reason })
}
