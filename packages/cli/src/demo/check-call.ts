import type { CallResult, ErrorCode } from '@curfew/core'

/** How a call of the demo should end. */
export interface Expectation {
  readonly status: CallResult['status']
  readonly code?: ErrorCode
  /** When, in milliseconds after it was asked for. */
  readonly endsAtMs: number
  readonly abandoned?: true
  /** A part of the tool's output that must have been kept. */
  readonly keeps?: string
  /** A part of what the model must be told. */
  readonly reads?: string
}

/** How long the runtime of the demo lets a tool clean up. */
export const graceMs = 250
/** A busy machine may be this late. */
const toleranceMs = 1_500
/** Timers may fire a little early. */
const earlyMs = 20

/** What is wrong with how a call ended: nothing, if it ended as it should. */
export function checkCall(expected: Expectation, result: CallResult, elapsedMs: number): string[] {
  const problems: string[] = []
  const compare = (what: string, wanted: unknown, found: unknown): void => {
    if (wanted !== found) problems.push(`${what} should be ${wanted ?? 'none'}, but is ${found ?? 'none'}`)
  }
  const failure = result.status === 'success' ? undefined : result
  compare('state', expected.status, result.status)
  compare('code', expected.code, failure?.code)
  compare('abandoned', expected.abandoned ?? false, failure?.abandoned ?? false)
  const earliest = expected.endsAtMs - earlyMs
  const latest = expected.endsAtMs + graceMs + toleranceMs
  if (elapsedMs < earliest || elapsedMs > latest) {
    problems.push(`it should end after ${earliest} to ${latest} ms, but took ${Math.round(elapsedMs)}`)
  }
  const { keeps, reads } = expected
  if (keeps !== undefined && !result.output.includes(keeps))
    problems.push(`its output should keep "${keeps}"`)
  if (reads !== undefined && !result.content.includes(reads))
    problems.push(`the model should read "${reads}"`)
  return problems
}
