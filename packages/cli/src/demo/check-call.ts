import type { CallResult, ErrorCode } from '@curfew/core'

/** How a call of the demo should end. */
export interface Expectation {
  readonly status: CallResult['status']
  readonly code?: ErrorCode
  /** In milliseconds after it was requested. */
  readonly endsAtMs: number
  readonly abandoned?: true
  readonly outputIncludes?: string
  readonly contentIncludes?: string
}

/** The demo runtime's grace period. */
export const graceMs = 250
/** How late a busy machine may be. */
const toleranceMs = 5_000
/** How early a timer may fire. */
const earlyMs = 20

/** Returns one line per difference between the result and the expectation. */
export function checkCall(expected: Expectation, result: CallResult, elapsedMs: number): string[] {
  const problems: string[] = []
  const compare = (field: string, wanted: unknown, found: unknown): void => {
    if (wanted !== found) problems.push(`${field}: expected ${wanted ?? 'none'}, got ${found ?? 'none'}`)
  }
  const failure = result.status === 'success' ? undefined : result
  compare('status', expected.status, result.status)
  compare('code', expected.code, failure?.code)
  compare('abandoned', expected.abandoned ?? false, failure?.abandoned ?? false)
  const earliest = expected.endsAtMs - earlyMs
  const latest = expected.endsAtMs + graceMs + toleranceMs
  if (elapsedMs < earliest || elapsedMs > latest) {
    problems.push(`duration: expected ${earliest} to ${latest} ms, got ${Math.round(elapsedMs)} ms`)
  }
  const { outputIncludes, contentIncludes } = expected
  if (outputIncludes !== undefined && !result.output.includes(outputIncludes))
    problems.push(`output: expected it to include "${outputIncludes}"`)
  if (contentIncludes !== undefined && !result.content.includes(contentIncludes))
    problems.push(`content: expected it to include "${contentIncludes}"`)
  return problems
}
