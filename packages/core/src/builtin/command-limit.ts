import { describeSource } from '../deadline/resolve-timeout.ts'
import type { CallDeadline } from '../tool/tool-context.ts'

/** How long a command may take to end. */
export const commandGraceMs = 500
/** What the call's own limit adds to that, so that a command's timeout can still be reported on a busy machine. */
const reportMs = 1_500
/** Under a shorter limit, the share of its last tenth that a command may take to end; the rest is left to report. */
const graceShare = 0.6

/** The timeout of a call whose command may run for `requestedMs`. */
export function commandTimeoutMs(requestedMs: number): number {
  return requestedMs + commandGraceMs + reportMs
}

export interface CommandLimit {
  readonly timeoutMs: number
  readonly graceMs: number
  /** Where the limit comes from, and its length, for the report of a command that reached it. */
  readonly limit: string
  readonly limitMs: number
}

/**
 * The parameter `name`, unless the call itself ends earlier: then its remaining time, minus the time to end the command and report.
 */
export function commandLimit(
  name: string,
  requestedMs: number,
  { timeoutMs, remainingMs, source }: CallDeadline,
): CommandLimit {
  const requested = { timeoutMs: requestedMs, graceMs: commandGraceMs, limit: name, limitMs: requestedMs }
  const outerMs = remainingMs - Math.min(commandGraceMs, remainingMs / 10)
  if (requestedMs <= outerMs)
    return { ...requested, graceMs: Math.min(commandGraceMs, (remainingMs - requestedMs) * graceShare) }
  return {
    timeoutMs: Math.max(1, outerMs),
    graceMs: (remainingMs - outerMs) * graceShare,
    limit: describeSource(source),
    limitMs: timeoutMs,
  }
}
