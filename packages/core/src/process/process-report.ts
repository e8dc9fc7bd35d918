export type ProcessOutcome = 'exited' | 'timed_out' | 'cancelled' | 'not_started'

/** A process result as JSON, for models and for `curfew timeout --json`. */
export interface ProcessReport {
  readonly outcome: ProcessOutcome
  readonly exit_code: number | null
  readonly signal: string | null
  readonly timed_out: boolean
  readonly stdout: string
  readonly stderr: string
  readonly stdout_bytes: number
  readonly stderr_bytes: number
  readonly stdout_truncated: boolean
  readonly stderr_truncated: boolean
  /** Pids that survived SIGKILL; `null` if unknown. */
  readonly survivors: readonly number[] | null
  /** How the processes were contained. */
  readonly containment: string | null
  readonly duration_ms: number
  /** With `timed_out`: the limit that was reached, and its length. */
  readonly limit?: string
  readonly limit_ms?: number
  /** The command was not run; `command_args` is the command that would have run. */
  readonly dry_run?: true
  readonly command_args?: readonly string[]
  /** Why the command was not started. */
  readonly error?: string
}
