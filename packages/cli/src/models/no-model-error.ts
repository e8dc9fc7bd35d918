import { CurfewError } from '@curfew/core'

/** No model is configured, and no key of a provider was found. */
export class NoModelError extends CurfewError {
  constructor(message: string) {
    super('INVALID_OPTION', message, { field: 'model' })
  }
}
