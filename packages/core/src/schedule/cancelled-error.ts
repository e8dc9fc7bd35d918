import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'

/** The error of a call that was cancelled. */
export function cancelledError(reason: unknown): CurfewError {
  const isDefault = reason === undefined || (reason instanceof DOMException && reason.name === 'AbortError')
  const message = isDefault ? 'the call was cancelled' : `the call was cancelled: ${messageOf(reason)}`
  return new CurfewError('CANCELLED', message, { cause: reason })
}

/** The error of a call whose parent was stopped. It contains the error of the outermost call, however deeply it is nested. */
export function parentStoppedError(parentName: string, error: CurfewError): CurfewError {
  return new ParentStoppedError(parentName, error instanceof ParentStoppedError ? error.first : error)
}

class ParentStoppedError extends CurfewError {
  readonly first: CurfewError

  constructor(parentName: string, first: CurfewError) {
    const message = `the call was cancelled: its parent call ${parentName} was stopped: ${first.message}`
    super('CANCELLED', message, { cause: first })
    this.first = first
  }
}
