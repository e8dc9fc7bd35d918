import { otherError } from './attributes.ts'

/** What a class of errors is usually called. Anything else might contain data. */
const className = /^(?:[A-Z][A-Za-z\d_]{0,99})?(?:Error|Exception)$/
const curfewCode = /^[A-Z]+(?:_[A-Z]+){0,3}$/

/** `error.type` of what a provider threw or a signal was aborted with: the HTTP status, a code of Curfew, or the name of the error's class. */
export function errorTypeOf(error: unknown): string {
  try {
    const { statusCode, code, name } = Object(error) as Record<string, unknown>
    if (Number.isInteger(statusCode) && (statusCode as number) >= 100 && (statusCode as number) < 1_000)
      return String(statusCode)
    const isOurs = name === 'CurfewError' || name === 'ToolTimeoutError'
    if (isOurs && typeof code === 'string' && curfewCode.test(code)) return code
    return typeof name === 'string' && className.test(name) ? name : otherError
  } catch {
    // A getter may throw.
    return otherError
  }
}
