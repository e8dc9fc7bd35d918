import type { CurfewError } from '@curfew/core'

/** Something that is wrong in a file. The rest of the configuration still loads. */
export interface ConfigProblem {
  /** `error`: what the file describes was left out. `warning`: it works, but hardly as it was meant. */
  readonly severity: 'error' | 'warning'
  readonly file: string
  /** `parameters.properties.city`, or `null` if it is about the file as a whole. */
  readonly field: string | null
  readonly message: string
}

/** In one line, for people. */
export function formatProblem({ file, field, message }: ConfigProblem): string {
  return field === null ? `${file}: ${message}` : `${file}: ${field}: ${message}`
}

export function configError(file: string, field: string | null, message: string): ConfigProblem {
  return { severity: 'error', file, field, message }
}

export function configWarning(file: string, field: string | null, message: string): ConfigProblem {
  return { severity: 'warning', file, field, message }
}

/** What `defineTool` found, as a problem of the file that the definition stands in. */
export function problemOfTool(file: string, error: CurfewError): ConfigProblem {
  const { field = '', message } = error
  const said = message.startsWith(field) ? message.slice(field.length).replace(/^:? /, '') : message
  return configError(file, field.replace(/^tool "[^"]*": /, '') || null, said)
}
