import { CurfewError, type ErrorCode, isErrorCode } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'
import { capText } from '../output/head-tail.ts'
import { type CredentialProblem, CredentialRequiredError } from '../secrets/credential-required-error.ts'
import { statusOf } from '../secrets/is-credential-rejection.ts'

/** The parts of an error that can be passed between threads. */
export interface ThreadError {
  readonly code: ErrorCode | null
  readonly name: string
  readonly message: string
  /** Of a `CredentialRequiredError`. */
  readonly credential?: CredentialProblem
  /** The HTTP status of the error, which may be the only sign of a rejected key. */
  readonly status?: number
  readonly cause?: ThreadError
}

const maxMessageLength = 65_536
const maxNameLength = 200
const maxCauses = 3

/** Packs any thrown value. Never throws. */
export function packError(error: unknown, depth = 0): ThreadError {
  const message = capText(messageOf(error), maxMessageLength)
  try {
    if (error instanceof CredentialRequiredError) {
      const { code, name, key, reason, retrySafe } = error
      return { code, name, message, credential: { key, reason, retrySafe } }
    }
    if (error instanceof CurfewError) return { code: error.code, name: error.name, message }
    const status = statusOf(error)
    const cause: unknown = depth < maxCauses ? Object(error).cause : undefined
    return {
      code: null,
      name: error instanceof Error ? String(error.name).slice(0, maxNameLength) : 'Error',
      message,
      ...(status !== null && { status }),
      ...(cause !== undefined && cause !== null && { cause: packError(cause, depth + 1) }),
    }
  } catch {
    // Only its message can be read.
  }
  return { code: null, name: 'Error', message }
}

export function unpackError({ code, name, message, credential, status, cause }: ThreadError): Error {
  if (credential !== undefined) return new CredentialRequiredError(message, credential)
  if (code !== null) return new CurfewError(code, message)
  const error = new Error(message, cause && { cause: unpackError(cause) })
  return Object.assign(error, { name }, status !== undefined && { status })
}

/** Returns `null` if the value is not a packed error. */
export function readThreadError(value: unknown, depth = 0): ThreadError | null {
  const { code, name, message, credential, status, cause } = Object(value) as Partial<
    Record<keyof ThreadError, unknown>
  >
  if (typeof name !== 'string' || typeof message !== 'string') return null
  const inner = depth < maxCauses ? readThreadError(cause, depth + 1) : null
  const error = {
    code: isErrorCode(code) ? code : null,
    name,
    message,
    ...(typeof status === 'number' && { status }),
    ...(inner !== null && { cause: inner }),
  }
  if (credential === undefined) return error
  const { key, reason, retrySafe } = Object(credential) as Partial<Record<keyof CredentialProblem, unknown>>
  if (typeof key !== 'string' || (reason !== 'missing' && reason !== 'rejected')) return null
  return { ...error, credential: { key, reason, retrySafe: retrySafe === true } }
}
