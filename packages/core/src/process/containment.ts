import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { constants } from 'node:os'
import { readEnvironment, readProcEntry } from './proc-table.ts'
import { nestedMarker } from './runtime-marker.ts'

/** How a command was contained. */
export type ContainmentKind = 'cgroup' | 'markers' | 'namespace' | 'group'

/** Tracks everything that one command has started, even if it tries to escape. */
export interface Containment {
  readonly kind: ContainmentKind
  /** Whether `members` is complete. If not, survivors are reported as `null`. */
  readonly seesAllMembers: boolean
  /** Starts the command inside, with these FIFOs as its output. Throws what `spawn` throws. */
  spawn(
    start: (options: SpawnOptions) => ChildProcess,
    options: SpawnOptions,
    pipes: readonly string[],
  ): ChildProcess
  /** The pids of all live processes. */
  members(): number[]
  /** Makes those members that have the output open as any descriptor. Slow; for output that does not end. */
  findWriters?(): void
  signal(signal: NodeJS.Signals | number): void
  /** Sends SIGKILL to all. */
  kill(): void
  /** Releases resources once the command has been reported. */
  dispose(): void
}

/**
 * Sends a signal; a process that has already ended is not an error. A signal that can be handled is not sent to the commands
 * of a nested `curfew`, which sends them the signal chosen for them, as with nested GNU timeouts.
 */
export function sendSignal(pid: number, signal: NodeJS.Signals | number): void {
  if (canBeHandled(signal) && isNested(pid)) return
  try {
    process.kill(pid, signal)
  } catch {
    // Already ended, or no permission; the sweep detects survivors.
  }
}

function canBeHandled(signal: NodeJS.Signals | number): boolean {
  return !unhandled.has(typeof signal === 'number' ? signal : constants.signals[signal])
}

const { SIGKILL, SIGSTOP, SIGCONT } = constants.signals
const unhandled: ReadonlySet<number> = new Set([SIGKILL, SIGSTOP, SIGCONT])

const nested = new RegExp(nestedMarker)

function isNested(pid: number): boolean {
  const entry = readProcEntry(pid)
  return entry !== null && nested.test(readEnvironment(entry) ?? '')
}
