import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'
import type { Tool } from '../tool/tool.ts'
import { CredentialRequiredError } from './credential-required-error.ts'
import { isCredentialRejection } from './is-credential-rejection.ts'

/** The error of an HTTP client is often wrapped several times. */
const maxCauses = 4

/**
 * Recognizes an error that reports a rejected key. Adapters do that themselves and throw a `CredentialRequiredError`; a
 * function tool throws the error of its HTTP client. `read` are the secrets that the tool has read.
 */
export function rejectedCredential(
  error: unknown,
  { name, adapter, secrets }: Tool,
  read: Iterable<string>,
): CredentialRequiredError | null {
  try {
    if (error instanceof CredentialRequiredError) return error.reason === 'rejected' ? error : null
    if (adapter !== 'function' || secrets.length === 0) return null
    if (error instanceof CurfewError && error.code !== 'TOOL_FAILED') return null
    const text = rejectionMessage(error)
    if (text === null) return null
    const key = findSecretName(text, secrets) ?? [...read][0] ?? secrets[0]!
    const message = `${name} failed, apparently because the secret ${key} was rejected: ${messageOf(error)}`
    return new CredentialRequiredError(message, { key, reason: 'rejected', retrySafe: false })
  } catch {
    // Reading a thrown value may itself throw.
    return null
  }
}

/** The secret whose name a message contains; of KEY and API_KEY, the longer one. */
export function findSecretName(text: string, secrets: readonly string[]): string | undefined {
  return secrets.filter((secret) => text.includes(secret)).toSorted((a, b) => b.length - a.length)[0]
}

/** The message of the error, or of one of its causes, that is about credentials. */
function rejectionMessage(error: unknown): string | null {
  let cause = error
  for (let depth = 0; depth < maxCauses && cause !== undefined && cause !== null; depth++) {
    const text = cause instanceof Error ? `${cause.name}: ${messageOf(cause)}` : messageOf(cause)
    if (isCredentialRejection(cause, text)) return text
    cause = Object(cause).cause
  }
  return null
}
