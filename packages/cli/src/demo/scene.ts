import type { CallResult, ErrorCode } from '@curfew/core'
import type { SceneRunner } from './scene-runner.ts'

/** A few calls that show one guarantee. */
export interface Scene {
  /** What goes wrong, and what Curfew does about it; fits on one line of 80 columns. */
  readonly title: string
  run(runner: SceneRunner): Promise<void>
}

export interface SceneReport {
  readonly title: string
  readonly calls: readonly CallReport[]
  readonly claims: readonly Claim[]
}

/** How a call ended, and how that differs from what was expected. */
export interface CallReport {
  readonly label: string
  readonly result: CallResult
  readonly elapsedMs: number
  /** The outcome in a few words. */
  readonly summary: string
  readonly problems: readonly string[]
}

/** A statement about a whole scene, and whether it is true. */
export interface Claim {
  readonly text: string
  readonly holds: boolean
}

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
