import type { ProcessResult } from './process-options.ts'

/** A result as JSON, for models and `curfew timeout --json`. */
export interface ProcessReport {
  readonly outcome: ProcessResult['outcome']
  readonly exit_code: number | null
  readonly signal: string | null
  readonly timed_out: boolean
  readonly stdout: string
  readonly stderr: string
  readonly stdout_bytes: number
  readonly stderr_bytes: number
  readonly stdout_truncated: boolean
  readonly stderr_truncated: boolean
  /** Pids; empty if there are none, `null` if that cannot be known. */
  readonly survivors: readonly number[] | null
  /** How it was contained. */
  readonly containment: string | null
  readonly duration_ms: number
  /** With `timed_out`: which limit applied. */
  readonly limit?: string
  readonly limit_ms?: number
  /** Nothing was run; `command_args` is what would have been run. */
  readonly dry_run?: true
  readonly command_args?: readonly string[]
  /** Why it was not started. */
  readonly error?: string
}

export function describeResult(result: ProcessResult): ProcessReport {
  const { outcome, stdout, stderr, error } = result
  return {
    outcome,
    exit_code: result.exitCode,
    signal: result.signal,
    timed_out: outcome === 'timed_out',
    stdout: stdout.toString(),
    stderr: stderr.toString(),
    stdout_bytes: stdout.bytes,
    stderr_bytes: stderr.bytes,
    stdout_truncated: stdout.truncated,
    stderr_truncated: stderr.truncated,
    survivors: result.survivors,
    containment: result.containment,
    duration_ms: Math.round(result.durationMs),
    ...(error !== null && { error: error.message }),
  }
}

export function describeDryRun(command_args: readonly string[]): ProcessReport {
  return {
    dry_run: true,
    command_args,
    outcome: 'not_started',
    exit_code: null,
    signal: null,
    timed_out: false,
    stdout: '',
    stderr: '',
    stdout_bytes: 0,
    stderr_bytes: 0,
    stdout_truncated: false,
    stderr_truncated: false,
    survivors: [],
    containment: null,
    duration_ms: 0,
  }
}
