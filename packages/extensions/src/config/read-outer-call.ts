import type { RuntimeOptions } from '@curfew/core'
import { callVariableNames, machineTime, readTraceContext } from '@curfew/core/internal'
import { type ConfigProblem, configError } from './config-problem.ts'

/** Calls in this process end this much earlier, up to a share of the time, so that they are reported as timeouts before the outer call ends this process. */
const maxReserveMs = 250
const reserveShare = 0.05

interface ReadOuterCall {
  /** `undefined` if this process does not belong to a call. */
  readonly outer: RuntimeOptions['outer']
  readonly problems: readonly ConfigProblem[]
}

/**
 * Reads the call that this process belongs to from the environment. Invalid values are reported, and have no effect. Without a
 * deadline on this machine's clock, the remaining time counts from the start of this process, `elapsedMs` ago.
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
  const depth = read(callVariableNames.depth, 'a whole number from 0')
  const limitMs = read(callVariableNames.remainingMs, 'a number of milliseconds')
  const maxDepth = read(callVariableNames.maxDepth, 'a whole number from 0')
  const endsAt = read(callVariableNames.endsAt, 'a number of milliseconds')
  const remainingMs = limitMs && remainingOf(limitMs, elapsedMs, endsAt)
  // Set by whoever traces this process. Invalid values are ignored, as the standard requires.
  const trace = readTraceContext({ traceparent: env.TRACEPARENT, tracestate: env.TRACESTATE })
  const isOuter = depth !== undefined || maxDepth !== undefined || remainingMs !== undefined || trace !== null
  return { outer: isOuter ? { depth, maxDepth, remainingMs, ...trace } : undefined, problems }
}

/** The clock of another machine shows another time. */
function remainingOf(limitMs: number, elapsedMs: number, endsAt = Number.NaN): number {
  const left = endsAt - machineTime()
  const remainingMs = left >= 0 && left <= limitMs ? left : limitMs - elapsedMs
  return Math.max(0, Math.floor(remainingMs - Math.min(maxReserveMs, limitMs * reserveShare)))
}
