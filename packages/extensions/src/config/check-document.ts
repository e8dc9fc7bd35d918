import type { JsonSchema } from '@curfew/core'
import { compileOwnSchema, didYouMean, isTooDeep, maxJsonDepth } from '@curfew/core/internal'
import { type ConfigProblem, configError } from './config-problem.ts'

export interface CheckedDocument<T> {
  /** With defaults applied; `null` if the document is invalid. */
  readonly document: T | null
  readonly problems: readonly ConfigProblem[]
}

/** Creates a function that validates a file's content against a schema. Unknown fields are warnings. */
export function documentChecker<T>(schema: JsonSchema): (value: unknown, file: string) => CheckedDocument<T> {
  const validate = compileOwnSchema(schema, 'schema')
  return (value, file) => {
    if (isTooDeep(value)) {
      const problem = configError(file, null, `is nested more than ${maxJsonDepth} levels deep`)
      return { document: null, problems: [problem] }
    }
    const checked = validate(value)
    if (checked.ok) return { document: checked.params as T, problems: [] }
    const problems = checked.issues.map(({ path, message, knownKeys }): ConfigProblem => {
      const field = path === '' ? null : path
      if (knownKeys === undefined) return { severity: 'error', file, field, message }
      const hint = didYouMean(path.split('.').at(-1)!, knownKeys) || `known fields: ${knownKeys.join(', ')}`
      return { severity: 'warning', file, field, message: `unknown field, which is ignored; ${hint}` }
    })
    const usable = problems.every(({ severity }) => severity === 'warning')
    return { document: usable ? (checked.params as T) : null, problems }
  }
}
