import { CurfewError } from '@curfew/core'
import { describeNetworkError, innerMessage } from './describe-network-error.ts'

/** The error for a missing or incomplete response. */
export function transportError(request: string, error: unknown): CurfewError {
  const message = innerMessage(error)
  const description = describeNetworkError(error)
  // A description that includes a hint is complete.
  const isComplete = description !== null && /[;.]/.test(description)
  const reason = description === null ? message : isComplete ? description : `${description} (${message})`
  return new CurfewError('TRANSPORT_FAILED', `${request} failed: ${reason}`, { cause: error })
}
