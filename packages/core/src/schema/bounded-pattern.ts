import { CurfewError } from '../errors/curfew-error.ts'
import { OutOfTime, runInTime } from './run-in-time.ts'

/** Far more than a harmless pattern needs. The second attempt is for a busy machine, because the limit is wall-clock time. */
const limitsMs = [100, 1_000]
/** The time of a simple pattern grows with the square of the length. */
const shortLength = 2_000

/**
 * A regular expression from a foreign schema. If it could block the event loop, where no timer fires, it runs with a time
 * limit.
 */
export function boundedPattern(
  source: string,
  flags: string,
): { test(value: string): boolean; toString(): string } {
  const pattern = new RegExp(source, flags)
  const simple = isSimple(source)
  return {
    test(value) {
      if (simple && value.length <= shortLength) return pattern.test(value)
      for (const limitMs of limitsMs) {
        try {
          return runInTime(limitMs, () => pattern.test(value))
        } catch (error) {
          if (!(error instanceof OutOfTime)) throw error
        }
      }
      throw new CurfewError(
        'INVALID_PARAMS',
        `params: the pattern ${source.slice(0, 200)} takes too long on a string of ${value.length} characters`,
        { field: 'params' },
      )
    },
    toString: () => pattern.toString(),
  }
}

/**
 * Whether there is at most one way to match a string from a given start: one repetition, and nothing to choose from. With two, such as
 * `(a|a)*` or `a?a?`, the time can grow exponentially.
 */
function isSimple(source: string): boolean {
  const variable = source.replaceAll(/(?<!\))\{\d+\}/g, '')
  const choices = variable.match(/[*+?{]/g) ?? []
  return choices.length <= 1 && !/\||\\[1-9k]/.test(variable)
}
