import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'
import type { Tool } from '../tool/tool.ts'
import { CredentialRequiredError } from './credential-required-error.ts'
import { refusesCredentials } from './tells-of-credentials.ts'

/** The error of an HTTP client is often wrapped once or twice. */
const maxCauses = 4

/**
 * What a tool threw, if it says that a key was refused. Adapters recognise that themselves and throw a
 * `CredentialRequiredError`; a function that uses secrets may throw whatever its client does. `read` are those that it has read.
 */
export function refusedCredential(
  error: unknown,
  { name, adapter, secrets }: Tool,
  read: Iterable<string>,
): CredentialRequiredError | null {
  try {
    if (error instanceof CredentialRequiredError) return error.why === 'refused' ? error : null
    if (adapter !== 'function' || secrets.length === 0) return null
    if (error instanceof CurfewError && error.code !== 'TOOL_FAILED') return null
    const text = refusalIn(error)
    if (text === null) return null
    const key = secretMeant(text, secrets) ?? [...read][0] ?? secrets[0]!
    const message = `${name} failed, and it seems that the secret ${key} was refused: ${messageOf(error)}`
    return new CredentialRequiredError(message, { key, why: 'refused', safeToRepeat: false })
  } catch {
    // What was thrown may be anything, and may itself throw when it is looked at.
    return null
  }
}

/** The secret that a text names: of KEY and API_KEY, the longer one. */
export function secretMeant(text: string, secrets: readonly string[]): string | undefined {
  return secrets.filter((secret) => text.includes(secret)).toSorted((a, b) => b.length - a.length)[0]
}

/** What it says, if it or one of its causes is about credentials. */
function refusalIn(error: unknown): string | null {
  let cause = error
  for (let depth = 0; depth < maxCauses && cause !== undefined && cause !== null; depth++) {
    const text = cause instanceof Error ? `${cause.name}: ${messageOf(cause)}` : messageOf(cause)
    if (refusesCredentials(cause, text)) return text
    cause = Object(cause).cause
  }
  return null
}
