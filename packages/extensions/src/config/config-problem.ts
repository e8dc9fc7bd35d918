/** A problem in a configuration file. The rest of the configuration still loads. */
export interface ConfigProblem {
  /** `error`: the setting or tool was not loaded. `warning`: it was loaded, but probably does not do what was intended. */
  readonly severity: 'error' | 'warning'
  readonly file: string
  /** `parameters.properties.city`, or `null` if the problem concerns the whole file. */
  readonly field: string | null
  readonly message: string
}

/** Formats a problem as one line. */
export function formatProblem({ file, field, message }: ConfigProblem): string {
  return field === null ? `${file}: ${message}` : `${file}: ${field}: ${message}`
}

export function configError(file: string, field: string | null, message: string): ConfigProblem {
  return { severity: 'error', file, field, message }
}

export function configWarning(file: string, field: string | null, message: string): ConfigProblem {
  return { severity: 'warning', file, field, message }
}
