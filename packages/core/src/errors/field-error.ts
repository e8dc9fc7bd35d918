import { CurfewError, type ErrorCode } from './curfew-error.ts'

/** An error about one field, whose message is `field: problem`. */
export function fieldError(code: ErrorCode, field: string, problem: string, cause?: unknown): CurfewError {
  return new CurfewError(code, `${field}: ${problem}`, { field, problem, cause })
}
