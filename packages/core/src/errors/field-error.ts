import { CurfewError, type ErrorCode } from './curfew-error.ts'
import { describeValue } from './describe-value.ts'

/** An error about one field, whose message is `field: problem`. */
export function fieldError(code: ErrorCode, field: string, problem: string, cause?: unknown): CurfewError {
  return new CurfewError(code, `${field}: ${problem}`, { field, problem, cause })
}

/** For options, arguments of functions, and files. */
export function invalidOption(field: string, problem: string): CurfewError {
  return fieldError('INVALID_OPTION', field, problem)
}

/** `field: expected …, got …`. */
export function unexpectedOption(field: string, expected: string, got: unknown): CurfewError {
  return invalidOption(field, `expected ${expected}, got ${describeValue(got)}`)
}
