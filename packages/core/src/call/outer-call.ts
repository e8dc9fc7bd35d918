import { CurfewError } from '../errors/curfew-error.ts'
import { describeValue } from '../errors/describe-value.ts'

/** The call of another process that this runtime, or one of its calls, belongs to. */
export interface OuterCall {
  /**
   * How deep calls are nested here because of it: 1 inside a call that is not nested itself.
   * @default 0
   */
  readonly depth?: number | undefined
  /**
   * The time that is left until its deadline, in milliseconds.
   * @default no limit
   */
  readonly remainingMs?: number | undefined
}

/** Throws `INVALID_OPTION` with the invalid value as `field`. */
export function checkOuterCall(outer: unknown, field: string): OuterCall {
  if (typeof outer !== 'object' || outer === null)
    throw invalid(field, 'an object with depth and remainingMs', outer)
  const { depth, remainingMs } = outer as OuterCall
  if (depth !== undefined && !(Number.isSafeInteger(depth) && depth >= 0))
    throw invalid(`${field}.depth`, 'a whole number from 0', depth)
  if (remainingMs !== undefined && !(Number.isFinite(remainingMs) && remainingMs >= 0))
    throw invalid(`${field}.remainingMs`, 'a number from 0', remainingMs)
  return { depth, remainingMs }
}

function invalid(field: string, expected: string, got: unknown): CurfewError {
  const message = `${field}: expected ${expected}, got ${describeValue(got)}`
  return new CurfewError('INVALID_OPTION', message, { field })
}
