import { CurfewError } from '../errors/curfew-error.ts'
import type { ParameterIssue } from './compile-schema.ts'

const mostIssues = 10

/** Tells the model which parameters are wrong and what they should be. */
export function invalidParams(toolName: string, issues: readonly ParameterIssue[]): CurfewError {
  const shown = issues
    .slice(0, mostIssues)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  const more = issues.length > mostIssues ? ` (and ${issues.length - mostIssues} more)` : ''
  const first = issues[0]?.path
  return new CurfewError('INVALID_PARAMS', `params of ${toolName}: ${shown.join('; ')}${more}`, {
    field: first ? `params.${first}` : 'params',
  })
}
