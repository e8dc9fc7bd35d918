import { CurfewError } from '@curfew/core'
import { innerMessage, describeNetworkError } from './network-words.ts'

/** There is no answer, or no whole one. Says what went wrong in words. */
export function transportError(what: string, error: unknown): CurfewError {
  const said = innerMessage(error)
  const words = describeNetworkError(error)
  // A hint, or a whole explanation, needs no addition.
  const why = words === null ? said : /[;.]/.test(words) ? words : `${words} (${said})`
  return new CurfewError('TRANSPORT_FAILED', `${what} failed: ${why}`, { cause: error })
}
