import type { Writable } from 'node:stream'
import type { Clock } from '../clock/clock.ts'
import type { ByteCapture } from './byte-capture.ts'
import type { ContainmentKind } from './containment.ts'
import type { ProcessOutcome } from './process-report.ts'

export interface ProcessOptions {
  /** The command and its arguments; no shell ever sees them. */
  readonly argv: readonly [string, ...string[]]
  readonly cwd?: string | undefined
  /**
   * The command gets all of our variables, not only the few that it needs to run.
   * @default false
   */
  readonly inheritEnvironment?: boolean | undefined
  /**
   * A text is all that the command can read; whether it does is its own affair. `'pipe'` is written to while it runs.
   * @default 'empty'
   */
  readonly stdin?: 'empty' | 'inherit' | 'pipe' | { readonly text: string } | undefined
  /**
   * `'inherit'` passes both streams through untouched and captures nothing.
   * @default 'capture'
   */
  readonly output?: 'capture' | 'inherit' | undefined
  /**
   * Stay in our session and process group, so that the command can use the terminal.
   * @default false
   */
  readonly foreground?: boolean | undefined
  /** From -20 to 19; larger is nicer to others. */
  readonly nice?: number | undefined
  /** Added to the few variables that every command gets. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** @default no limit */
  readonly timeoutMs?: number | undefined
  /**
   * How long it may say nothing.
   * @default no limit
   */
  readonly idleMs?: number | undefined
  /**
   * What a command is sent at its limit and on cancel. If set, the command also gets it before SIGKILL when this
   * process itself is killed; otherwise SIGKILL follows at once.
   * @default 'SIGTERM'
   */
  readonly stopSignal?: StopSignal | undefined
  /**
   * The call returns so long after that at the latest.
   * @default 500
   */
  readonly graceMs?: number | undefined
  /**
   * SIGKILL follows so long after it.
   * @default a little before the grace is over
   */
  readonly killAfterMs?: number | undefined
  /** For each stream. */
  readonly maxOutputBytes?: number | undefined
  /** The whole of both streams goes to this file, as it comes, up to 1 GiB. */
  readonly spillTo?: string | undefined
  readonly signal?: AbortSignal | undefined
  /**
   * `'auto'` is a cgroup where one may be made, and markers elsewhere. Without /proc (macOS, Windows, some containers) it
   * is always the process group, whatever is asked for; the result says so.
   * @default 'auto'
   */
  readonly containment?: 'auto' | 'markers' | 'namespace' | undefined
  /** What a chunk holds is there only until this returns. */
  readonly onOutput?: ((chunk: Buffer, stream: 'stdout' | 'stderr') => void) | undefined
  readonly clock?: Clock | undefined
}

/** By name or by number; 0 asks for nothing. */
export type StopSignal = NodeJS.Signals | number

export interface RunningProcess {
  /** `undefined` if it was not started. */
  readonly pid: number | undefined
  /** What it reads from, with `stdin: 'pipe'`. Writing to a command that has ended does nothing. */
  readonly stdin: Writable | null
  readonly result: Promise<ProcessResult>
  /** Passes a signal on to the command itself. */
  signal(signal: StopSignal): void
  /** The same for the command and everything it started. */
  signalAll(signal: StopSignal): void
}

export interface ProcessResult {
  readonly outcome: ProcessOutcome
  /** Which limit ran out, with `timed_out`. */
  readonly limit: 'total' | 'idle' | null
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: ByteCapture
  readonly stderr: ByteCapture
  /**
   * Pids that outlived everything that was done against them; empty if there are none, `null` if that cannot be known:
   * /proc is not there, or hides the processes of others.
   */
  readonly survivors: readonly number[] | null
  readonly containment: ContainmentKind
  readonly durationMs: number
  /** Why it was not started. */
  readonly error: NodeJS.ErrnoException | null
}
