import type { ProcessResult } from './process-options.ts'
import type { ProcessReport } from './process-report.ts'

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
