import { CurfewError, type ToolContext } from '@curfew/core'
import { systemClock } from '@curfew/core/internal'

/** What is left of the call's time to report that the search took too long. */
const maxReportMs = 1_000

export interface SearchLimit {
  /** Aborted with the call, or a little before its deadline. */
  readonly signal: AbortSignal
  dispose(): void
}

/** The runtime would end the call as well, but without saying how to search for less. */
export function limitSearch(name: string, advice: string, { signal, deadline }: ToolContext): SearchLimit {
  const { remainingMs, timeoutMs } = deadline
  const limitMs = remainingMs - Math.min(maxReportMs, remainingMs / 10)
  const controller = new AbortController()
  const timer = systemClock.setTimer(limitMs, () =>
    controller.abort(
      new CurfewError(
        'TOOL_TIMEOUT',
        `${name} had not finished ${Math.round(limitMs)} ms after it started (the call's limit is ${timeoutMs} ms), and was ended; ${advice}`,
        { hadNoEffect: true },
      ),
    ),
  )
  return {
    signal: AbortSignal.any([signal as AbortSignal, controller.signal]),
    dispose: () => systemClock.clearTimer(timer),
  }
}
