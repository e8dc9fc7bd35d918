import type { JsonSchema } from '@curfew/core'
import { compileOwnSchema, didYouMean, isTooDeep, maxJsonDepth } from '@curfew/core/internal'
import { type ConfigProblem, configError } from './config-problem.ts'

export interface CheckedDocument<T> {
  /** With its defaults filled in; `null` if it cannot be used. */
  readonly document: T | null
  readonly problems: readonly ConfigProblem[]
}

/** Holds a file's content against its schema. A field that nobody knows is a warning: it was meant to do something. */
export function documentChecker<T>(schema: JsonSchema): (value: unknown, file: string) => CheckedDocument<T> {
  const validate = compileOwnSchema(schema, 'schema')
  return (value, file) => {
    if (isTooDeep(value)) {
      const problem = configError(file, null, `is nested more than ${maxJsonDepth} levels deep`)
      return { document: null, problems: [problem] }
    }
    const checked = validate(value)
    if (checked.ok) return { document: checked.params as T, problems: [] }
    const problems = checked.issues.map(({ path, message, unknownAmong }): ConfigProblem => {
      const field = path === '' ? null : path
      if (unknownAmong === undefined) return { severity: 'error', file, field, message }
      const hint = didYouMean(path.split('.').at(-1)!, unknownAmong) || `there are ${unknownAmong.join(', ')}`
      return {
        severity: 'warning',
        file,
        field,
        message: `there is no such field and it does nothing; ${hint}`,
      }
    })
    const usable = problems.every(({ severity }) => severity === 'warning')
    return { document: usable ? (checked.params as T) : null, problems }
  }
}
