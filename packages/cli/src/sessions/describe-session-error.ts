import { CurfewError } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'

/** Why a session cannot be used. If there is none with this id, how to find one. */
export function describeSessionError(error: unknown): string {
  if (!(error instanceof CurfewError) || error.field !== 'session') return messageOf(error)
  return `${error.problem}; curfew sessions --all lists them`
}
