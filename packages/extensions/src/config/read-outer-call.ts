import type { RuntimeOptions } from '@curfew/core'
import { readTraceContext } from '@curfew/core/internal'
import { type ConfigProblem, configError } from './config-problem.ts'

/** Set for programs that a call runs, so that a chain of agents that start each other is bounded. */
export const depthVariable = 'CURFEW_DEPTH'
export const deadlineVariable = 'CURFEW_DEADLINE_MS'

interface ReadOuterCall {
  /** `undefined` if this process does not belong to a call. */
  readonly outer: RuntimeOptions['outer']
  readonly problems: readonly ConfigProblem[]
}

/**
 * Reads the call that this process belongs to from the environment. Invalid values are reported, and have no effect. The remaining time
 * counts from the start of the process, `elapsedMs` ago.
 */
export function readOuterCall(
  env: Readonly<NodeJS.ProcessEnv>,
  elapsedMs: number = performance.now(),
): ReadOuterCall {
  const problems: ConfigProblem[] = []
  const read = (variable: string, expected: string): number | undefined => {
    const text = env[variable]
    if (!text) return undefined
    if (/^\d{1,15}$/.test(text)) return Number(text)
    const message = `expected ${expected}, got ${JSON.stringify(text)}; Curfew sets it for the programs that it starts`
    problems.push(configError('the environment', variable, message))
    return undefined
  }
  const depth = read(depthVariable, 'a whole number from 0')
  const limitMs = read(deadlineVariable, 'a number of milliseconds')
  const remainingMs = limitMs && Math.max(0, Math.floor(limitMs - elapsedMs))
  // Set by whoever traces this process. Invalid values are ignored, as the standard requires.
  const trace = readTraceContext({ traceparent: env.TRACEPARENT, tracestate: env.TRACESTATE })
  const isOuter = depth !== undefined || remainingMs !== undefined || trace !== null
  return { outer: isOuter ? { depth, remainingMs, ...trace } : undefined, problems }
}
