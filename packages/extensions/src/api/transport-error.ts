import { CurfewError } from '@curfew/core'
import { innerMessage, readNetworkError } from './describe-network-error.ts'

/** The error for a missing or incomplete response. */
export function transportError(request: string, error: unknown): CurfewError {
  return new CurfewError('TRANSPORT_FAILED', `${request} failed: ${reasonOf(error)}`, { cause: error })
}

function reasonOf(error: unknown): string {
  const problem = readNetworkError(error)
  if (problem === null) return innerMessage(error)
  const { description, advice = ` (${innerMessage(error)})` } = problem
  return description + advice
}
