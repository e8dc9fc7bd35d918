import { CurfewError } from '@curfew/core'
import { type ConfigProblem, formatProblem } from '@curfew/extensions'

/** A setting that is needed cannot be used. Its problem is also one of the configuration, and should be reported only once. */
export class InvalidSettingError extends CurfewError {
  readonly configProblem: ConfigProblem

  constructor(configProblem: ConfigProblem) {
    super('INVALID_OPTION', formatProblem(configProblem))
    this.configProblem = configProblem
  }
}
