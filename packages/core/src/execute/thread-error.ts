import { CurfewError, type ErrorCode, isErrorCode } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'
import { capText } from '../output/head-tail.ts'
import { type CredentialProblem, CredentialRequiredError } from '../secrets/credential-required-error.ts'

/** An error on its way between threads: what it carries beside this may not be able to cross. */
export interface ThreadError {
  readonly code: ErrorCode | null
  readonly name: string
  readonly message: string
  /** Of a `CredentialRequiredError`. */
  readonly credential?: CredentialProblem
}

const maxMessageLength = 65_536
const maxNameLength = 200

/** Whatever was thrown, even if it throws when it is looked at. */
export function packError(error: unknown): ThreadError {
  const message = capText(messageOf(error), maxMessageLength)
  try {
    if (error instanceof CredentialRequiredError) {
      const { code, name, key, why, safeToRepeat } = error
      return { code, name, message, credential: { key, why, safeToRepeat } }
    }
    if (error instanceof CurfewError) return { code: error.code, name: error.name, message }
    if (error instanceof Error)
      return { code: null, name: String(error.name).slice(0, maxNameLength), message }
  } catch {
    // Only its message can be had.
  }
  return { code: null, name: 'Error', message }
}

export function unpackError({ code, name, message, credential }: ThreadError): Error {
  if (credential !== undefined) return new CredentialRequiredError(message, credential)
  if (code !== null) return new CurfewError(code, message)
  return Object.assign(new Error(message), { name })
}

/** `null` if it is none. */
export function readThreadError(value: unknown): ThreadError | null {
  const { code, name, message, credential } = Object(value) as Partial<Record<keyof ThreadError, unknown>>
  if (typeof name !== 'string' || typeof message !== 'string') return null
  const error = { code: isErrorCode(code) ? code : null, name, message }
  if (credential === undefined) return error
  const { key, why, safeToRepeat } = Object(credential) as Partial<Record<keyof CredentialProblem, unknown>>
  if (typeof key !== 'string' || (why !== 'missing' && why !== 'refused')) return null
  return { ...error, credential: { key, why, safeToRepeat: safeToRepeat === true } }
}
