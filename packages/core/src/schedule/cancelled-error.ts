import { attempt } from '../errors/attempt.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'

/** The error of a call that was cancelled. */
export function cancelledError(reason: unknown): CurfewError {
  const message = isDefault(reason)
    ? 'the call was cancelled'
    : `the call was cancelled: ${messageOf(reason)}`
  return new CurfewError('CANCELLED', message, { cause: reason })
}

/** Inspecting a reason may throw. */
function isDefault(reason: unknown): boolean {
  return attempt(
    () => reason === undefined || (reason instanceof DOMException && reason.name === 'AbortError'),
    false,
  )
}

/** The error of a call whose parent was stopped. Contains only the outermost call's error, at any nesting depth. */
export function parentStoppedError(parentName: string, error: CurfewError): CurfewError {
  return new ParentStoppedError(parentName, error instanceof ParentStoppedError ? error.outermost : error)
}

export class ParentStoppedError extends CurfewError {
  readonly outermost: CurfewError

  constructor(parentName: string, outermost: CurfewError) {
    const message = `the call was cancelled: its parent call ${parentName} was stopped: ${outermost.message}`
    super('CANCELLED', message, { cause: outermost })
    this.outermost = outermost
  }
}
