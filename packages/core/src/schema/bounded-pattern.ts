import { type Context, createContext, Script } from 'node:vm'
import { CurfewError } from '../errors/curfew-error.ts'

/** Far longer than any honest pattern takes; and once more, for it is the clock on the wall that counts, and the machine may be busy. */
const limitsMs = [100, 1_000]
/** On so little no pattern takes long. */
const shortText = 8
/** Two repetitions may fight over the same characters, and then the time explodes. */
const risky = /(?:[*+]|\{\d+,\d*\})[\s\S]*(?:[*+]|\{\d+,\d*\})/

/** Made when it is first needed: few schemas have such patterns. */
let box: Context | undefined
const script = new Script('pattern.test(text)')

/**
 * A regular expression from somebody else's schema, which must not stop the world: one that could take for ever is run with
 * a time limit, as no timer of ours could fire meanwhile.
 */
export function boundedPattern(
  source: string,
  flags: string,
): { test(text: string): boolean; toString(): string } {
  const pattern = new RegExp(source, flags)
  if (!risky.test(source)) return pattern
  return {
    test(text) {
      if (text.length <= shortText) return pattern.test(text)
      box ??= createContext()
      Object.assign(box, { pattern, text })
      for (const timeout of limitsMs) {
        try {
          return script.runInContext(box, { timeout }) as boolean
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
        }
      }
      throw new CurfewError(
        'INVALID_PARAMS',
        `params: the pattern ${source.slice(0, 200)} takes too long on a text of ${text.length} characters`,
        { field: 'params' },
      )
    },
    toString: () => pattern.toString(),
  }
}
