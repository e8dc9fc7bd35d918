import { type Context, createContext, Script } from 'node:vm'
import { CurfewError } from '../errors/curfew-error.ts'

/** Far more than a harmless pattern needs. The second attempt is for a busy machine, because the limit is wall-clock time. */
const limitsMs = [100, 1_000]
/** No pattern is slow on a string this short. */
const shortLength = 8
/** Two repetitions can compete for the same characters, and then the time grows exponentially. */
const risky = /(?:[*+]|\{\d+,\d*\})[\s\S]*(?:[*+]|\{\d+,\d*\})/

/** Created on first use, because few schemas have such patterns. */
let sandbox: { readonly context: Context; readonly script: Script } | undefined

/**
 * A regular expression from a foreign schema. If it could block the event loop, where no timer fires, it runs with a time
 * limit.
 */
export function boundedPattern(
  source: string,
  flags: string,
): { test(value: string): boolean; toString(): string } {
  const pattern = new RegExp(source, flags)
  if (!risky.test(source)) return pattern
  return {
    test(value) {
      if (value.length <= shortLength) return pattern.test(value)
      sandbox ??= { context: createContext(), script: new Script('pattern.test(value)') }
      Object.assign(sandbox.context, { pattern, value })
      for (const timeout of limitsMs) {
        try {
          return sandbox.script.runInContext(sandbox.context, { timeout }) as boolean
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
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
