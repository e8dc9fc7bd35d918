import type { Writable } from 'node:stream'
import type { Clock } from '../clock/clock.ts'
import type { ByteCapture } from './byte-capture.ts'
import type { ContainmentKind } from './containment.ts'
import type { ProcessOutcome } from './process-report.ts'

export interface ProcessOptions {
  /** The command and its arguments, run without a shell. */
  readonly argv: readonly [string, ...string[]]
  readonly cwd?: string | undefined
  /**
   * Pass all of our environment variables, not only those that every command needs.
   * @default false
   */
  readonly inheritEnvironment?: boolean | undefined
  /**
   * `{ text }` provides the whole input up front; `'pipe'` can be written to while the command runs.
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
  /** From -20 to 19; a higher value is a lower priority. */
  readonly nice?: number | undefined
  /** Added to the variables that every command gets. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** @default no limit */
  readonly timeoutMs?: number | undefined
  /**
   * Maximum time without output.
   * @default no limit
   */
  readonly idleMs?: number | undefined
  /**
   * Sent to the command at its limit and on cancellation. If set, the command also gets it before SIGKILL when this
   * process itself is killed; otherwise it gets SIGKILL immediately.
   * @default 'SIGTERM'
   */
  readonly stopSignal?: StopSignal | undefined
  /**
   * Maximum time between the stop signal and the result.
   * @default 500
   */
  readonly graceMs?: number | undefined
  /**
   * Time between the stop signal and SIGKILL.
   * @default slightly less than the grace period
   */
  readonly killAfterMs?: number | undefined
  /** Per stream. */
  readonly maxOutputBytes?: number | undefined
  /** A file that receives the full output of both streams as it arrives, up to 1 GiB. */
  readonly spillTo?: string | undefined
  readonly signal?: AbortSignal | undefined
  /**
   * `'auto'` is a cgroup if one can be created, otherwise markers. Without /proc (macOS, Windows, some containers) it is
   * always the process group, which the result reports.
   * @default 'auto'
   */
  readonly containment?: 'auto' | 'markers' | 'namespace' | undefined
  /** The chunk's buffer is reused after this returns. */
  readonly onOutput?: ((chunk: Buffer, stream: 'stdout' | 'stderr') => void) | undefined
  /** All processes have closed the stream, which may happen before they exit. */
  readonly onOutputEnd?: ((stream: 'stdout' | 'stderr') => void) | undefined
  readonly clock?: Clock | undefined
}

/** A signal name or number; 0 sends nothing. */
export type StopSignal = NodeJS.Signals | number

export interface RunningProcess {
  /** `undefined` if the command was not started. */
  readonly pid: number | undefined
  /** With `stdin: 'pipe'`. Writing to a command that has ended does nothing. */
  readonly stdin: Writable | null
  readonly result: Promise<ProcessResult>
  /** Sends a signal to the command itself. */
  signal(signal: StopSignal): void
  /** Sends a signal to the command and everything it started. */
  signalAll(signal: StopSignal): void
}

export interface ProcessResult {
  readonly outcome: ProcessOutcome
  /** With `timed_out`: which limit applied. */
  readonly limit: 'total' | 'idle' | null
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: ByteCapture
  readonly stderr: ByteCapture
  /**
   * Pids that survived SIGKILL; empty if there are none, `null` if unknown because /proc is missing or hides other users'
   * processes.
   */
  readonly survivors: readonly number[] | null
  readonly containment: ContainmentKind
  readonly durationMs: number
  /** Why it was not started. */
  readonly error: NodeJS.ErrnoException | null
}
