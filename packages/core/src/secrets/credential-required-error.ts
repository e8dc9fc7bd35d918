import { CurfewError } from '../errors/curfew-error.ts'

export interface CredentialProblem {
  /** The secret's name. */
  readonly key: string
  /** `missing`: there is no value. `rejected`: the service did not accept the value. */
  readonly reason: 'missing' | 'rejected'
  /** The tool had no effect yet, so the call can be retried. */
  readonly retrySafe: boolean
}

/** A tool's key is missing or was rejected. The runtime prompts for it, stores it and retries the call. */
export class CredentialRequiredError extends CurfewError implements CredentialProblem {
  override readonly name: string = 'CredentialRequiredError'
  readonly key: string
  readonly reason: 'missing' | 'rejected'
  readonly retrySafe: boolean

  constructor(message: string, { key, reason, retrySafe }: CredentialProblem) {
    super('CREDENTIAL_REQUIRED', message, { field: key, hadNoEffect: retrySafe })
    this.key = key
    this.reason = reason
    this.retrySafe = retrySafe
  }
}
