import type { SecretQuestion, SecretUseQuestion } from '../call/question.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { CredentialRequiredError } from '../secrets/credential-required-error.ts'
import { describeUse, storeSecretCommand } from '../secrets/describe-use.ts'
import type { Redactor } from '../secrets/redactor.ts'
import { minSecretLength } from '../secrets/secret-name.ts'
import type { Tool } from '../tool/tool.ts'
import type { AskOutcome } from './ask-person.ts'

/** The length of an error message in a question. */
const maxReasonLength = 300

/** The fields that do not depend on the secret. */
export type SecretQuestionBase = Omit<SecretUseQuestion, 'kind' | 'message' | 'key' | 'use' | 'uses'>

/** A person declined to enter a key, or denied its use. That applies for the whole turn. */
export class DeclinedError extends CurfewError {}

export function missingSecretError({ name, server }: Tool, key: string): CredentialRequiredError {
  const user = server === undefined ? name : `the MCP server ${server}`
  return new CredentialRequiredError(`${user} requires the secret ${key}`, {
    key,
    reason: 'missing',
    retrySafe: true,
  })
}

/** The model or a person, not a tool, asks for a secret. */
export function requestedSecretError(key: string, isTyped = false): CredentialRequiredError {
  const message = isTyped ? `the secret ${key} was requested` : `the model requested the secret ${key}`
  return new CredentialRequiredError(message, {
    key,
    reason: 'missing',
    retrySafe: true,
  })
}

/** Asks for the value of a secret. With `isTyped`, the person who is asked knows why. */
export function secretQuestion(
  base: SecretQuestionBase,
  { key, reason, message }: CredentialRequiredError,
  use: string | null,
  redactor: Redactor,
  isTyped = false,
): SecretQuestion {
  const user = use === null ? 'the first tool that uses it' : describeUse(use)
  const because = isTyped ? '' : `${shorten(redactor.text(message))}. `
  return {
    kind: 'secret',
    ...base,
    message: `${because}Enter ${key} for ${user}:`,
    key,
    use,
    reason,
  }
}

/** The value that a person entered. Throws if there is none. */
export function readSecretAnswer(
  error: CredentialRequiredError,
  use: string | null,
  outcome: AskOutcome,
): string {
  if (outcome.kind !== 'answered') {
    const reason = outcome.kind === 'unanswered' ? 'nobody is available to answer' : 'nobody answered in time'
    throw cannotAsk(error, use, reason)
  }
  const value: unknown = Object(outcome.answer).secret
  if (typeof value === 'string' && value.length >= minSecretLength) return value
  const message = `${error.message}, and the person did not enter it; do not retry`
  throw new DeclinedError('CREDENTIAL_REQUIRED', message, { field: error.key })
}

export function cannotAsk(
  error: CredentialRequiredError,
  use: string | null,
  reason: string,
): CredentialRequiredError {
  const hint = `${error.message}; ${reason}. A person can store it: ${storeSecretCommand(error.key, use)}`
  return new CredentialRequiredError(hint, error)
}

/** Asks whether a secret that was stored for another use may be used by this tool. */
export function secretUseQuestion(
  base: SecretQuestionBase,
  key: string,
  use: string,
  uses: readonly string[],
): SecretUseQuestion {
  const message = `May ${describeUse(use)} use the secret ${key}? It was stored for ${uses.map(describeUse).join(', ')}.`
  return { kind: 'secret-use', ...base, message, key, use, uses }
}

/** Throws `DENIED` unless a person has allowed the use. */
export function assertUseAllowed({ tool, key, use, uses }: SecretUseQuestion, outcome: AskOutcome): void {
  const answer = outcome.kind === 'answered' ? outcome.answer : undefined
  if (answer === 'always' || Object(answer).answer === 'always') return
  const reason = outcome.kind === 'answered' ? 'the person denied it' : 'nobody is available to answer'
  const known = uses.map(describeUse).join(', ')
  const message = `${tool} may not use the secret ${key}: it was stored for ${known}, and ${reason}. To allow it: ${storeSecretCommand(key, use)}`
  const ErrorClass = outcome.kind === 'answered' ? DeclinedError : CurfewError
  throw new ErrorClass('DENIED', message, { field: key })
}

/** The response that rejected a key may be a whole page. */
function shorten(message: string): string {
  const line = message.replace(/\s+/g, ' ')
  return line.length > maxReasonLength ? `${line.slice(0, maxReasonLength)}...` : line
}
