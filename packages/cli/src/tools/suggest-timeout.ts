import type { ToolTimes } from '@curfew/journal'
import { percentile } from '../stats/percentile.ts'
import { count } from '../terminal.ts'

/** The limit that new calls of a tool have. */
export interface CurrentLimit {
  readonly timeoutMs: number
  /** Where it is set, in words. */
  readonly setBy: string
  /** No timeout has an effect beyond this. */
  readonly maxMs: number
}

/** A better timeout for a tool. Times are in milliseconds. */
export interface Suggestion {
  readonly tool: string
  readonly timeoutMs: number
  readonly current: Omit<CurrentLimit, 'maxMs'>
  /** What the timeout is derived from: the 99th percentile of the successful calls, or the longest one if there are few. */
  readonly basis: { readonly kind: 'p99' | 'max'; readonly ms: number; readonly calls: number }
  /** Successful calls that would have been cut off. */
  readonly cut: { readonly calls: number; readonly share: number }
  /** Calls that failed anyway would have ended earlier, by this time in total. */
  readonly saved: { readonly calls: number; readonly ms: number }
  /** Calls that the current limit has cut off, so their true duration is unknown. */
  readonly timedOut: { readonly calls: number; readonly share: number }
}

/** Why there is no suggestion. */
export interface NoSuggestion {
  readonly tool: string
  readonly kind: 'few' | 'fits' | 'capped' | 'unclear'
  readonly reason: string
}

/** With fewer, one unusual call decides. */
export const minSuccesses = 20
/** With a probability of 95 %, the longest of so many calls is above the true 99th percentile: 0.99^299 < 0.05. */
const minForPercentile = 299
const headroom = { p99: 1.5, max: 2 }
const minTimeoutMs = 1_000
/** A smaller change is not worth a setting. */
const minChange = 0.2
/** If more calls time out, those that ended say little about how long a call takes. */
const maxTimedOut = 0.05
/** If more calls time out, the true 99th percentile is above the limit. */
const maxBeyond = 0.01

/** Suggests a timeout from the durations of the calls so far. */
export function suggestTimeout(times: ToolTimes, current: CurrentLimit): Suggestion | NoSuggestion {
  const { tool, successMs, failures } = times
  const successes = successMs.length
  if (successes < minSuccesses)
    return {
      tool,
      kind: 'few',
      reason: `${count(successes, 'successful call')}; at least ${minSuccesses} are needed`,
    }
  const affected = failures.filter(({ hadOtherLimit }) => !hadOtherLimit)
  const timeouts = affected.filter(({ code }) => code === 'TOOL_TIMEOUT').length
  const timedOut = { calls: timeouts, share: timeouts / (successes + timeouts) }
  const kind = successes >= minForPercentile ? 'p99' : 'max'
  const basis = { kind, ms: percentile(successMs, kind === 'p99' ? 0.99 : 1)!, calls: successes } as const
  const wanted = readableDuration(Math.max(minTimeoutMs, basis.ms * headroom[kind]))
  if (wanted < current.timeoutMs && timedOut.share > maxTimedOut)
    return { tool, kind: 'unclear', reason: unclear(timedOut) }
  // Calls that timed out took longer than the limit, so the percentile of the others is too low.
  const isTooShort = wanted >= current.timeoutMs && timedOut.share > maxBeyond
  const raised = isTooShort ? Math.max(wanted, readableDuration(2 * current.timeoutMs)) : wanted
  const timeoutMs = Math.min(raised, current.maxMs)
  if (Math.abs(timeoutMs - current.timeoutMs) < minChange * current.timeoutMs)
    return timeoutMs < raised
      ? { tool, kind: 'capped', reason: 'a longer timeout would have no effect, because of a maximum' }
      : { tool, kind: 'fits', reason: 'its timeout fits' }
  const longer = affected.flatMap(({ durationMs }) =>
    (durationMs ?? 0) > timeoutMs ? [durationMs! - timeoutMs] : [],
  )
  const cut = successMs.filter((ms) => ms >= timeoutMs).length
  return {
    tool,
    timeoutMs,
    current: { timeoutMs: current.timeoutMs, setBy: current.setBy },
    basis,
    cut: { calls: cut, share: cut / successes },
    saved: { calls: longer.length, ms: longer.reduce((sum, ms) => sum + ms, 0) },
    timedOut,
  }
}

function unclear({ share }: Suggestion['timedOut']): string {
  return `${Math.round(share * 100)} % of the calls timed out, so their true duration is unknown; look at them before you change the limit`
}

const second = 1_000
const minute = 60 * second
/** Up to each duration, rounded up to multiples of the step. */
const steps: readonly (readonly [upTo: number, step: number])[] = [
  [10 * second, second],
  [minute, 5 * second],
  [5 * minute, 15 * second],
  [30 * minute, minute],
  [120 * minute, 5 * minute],
  [Number.POSITIVE_INFINITY, 30 * minute],
]

/** Rounds up to a duration that people would choose: 7 s, 35 s, 1 min 30 s. */
export function readableDuration(ms: number): number {
  const [, step] = steps.find(([upTo]) => ms <= upTo)!
  return Math.ceil(ms / step) * step
}
