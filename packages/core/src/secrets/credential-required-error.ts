import { CurfewError } from '../errors/curfew-error.ts'

export interface CredentialProblem {
  /** The name of the secret. */
  readonly key: string
  /** `missing`: there is none. `refused`: there is one, and whoever it was shown to said no. */
  readonly why: 'missing' | 'refused'
  /** Nothing has happened yet, so the call may be run again without a second thought. */
  readonly safeToRepeat: boolean
}

/** A tool needs a key that it does not have, or has a wrong one. The runtime heals that: asks, stores, runs it again. */
export class CredentialRequiredError extends CurfewError implements CredentialProblem {
  override readonly name: string = 'CredentialRequiredError'
  readonly key: string
  readonly why: 'missing' | 'refused'
  readonly safeToRepeat: boolean

  constructor(message: string, { key, why, safeToRepeat }: CredentialProblem) {
    super('CREDENTIAL_REQUIRED', message, { field: key, hadNoEffect: safeToRepeat })
    this.key = key
    this.why = why
    this.safeToRepeat = safeToRepeat
  }
}
