import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { constants } from 'node:os'
import { hasEnvironmentMarker } from './proc-table.ts'
import { runtimeMarker } from './runtime-marker.ts'

/** How a command was held. */
export type ContainmentKind = 'cgroup' | 'markers' | 'namespace' | 'group'

/** Everything that one command has started, however it tried to get away. */
export interface Containment {
  readonly kind: ContainmentKind
  /** Whether `members` knows of all. If not, what is reported as left is `null`. */
  readonly canTell: boolean
  /** Starts the command inside, with these pipes as its output. Throws what `spawn` throws. */
  spawn(
    start: (options: SpawnOptions) => ChildProcess,
    options: SpawnOptions,
    pipes: readonly string[],
  ): ChildProcess
  /** The pids of all that are alive. */
  members(): number[]
  /** Sends a signal to all. */
  signal(signal: NodeJS.Signals | number): void
  /** Ends all, at once. */
  kill(): void
  /** Nothing is left, or nobody cares any more. */
  dispose(): void
}

/**
 * Sends a signal; a process that is gone already is no error. One that can be handled is not sent to what a nested `curfew`
 * holds: that gets what the nested one chose for it, as with nested GNU timeouts.
 */
export function sendSignal(pid: number, signal: NodeJS.Signals | number): void {
  if (canBeHandled(signal) && isNested(pid)) return
  try {
    process.kill(pid, signal)
  } catch {
    // Gone, or not ours to signal; the sweep will tell.
  }
}

function canBeHandled(signal: NodeJS.Signals | number): boolean {
  return !unhandled.has(typeof signal === 'number' ? signal : constants.signals[signal])
}

const { SIGKILL, SIGSTOP, SIGCONT } = constants.signals
const unhandled: ReadonlySet<number> = new Set([SIGKILL, SIGSTOP, SIGCONT])

/** It carries the marker of another runtime, and not that of one which we run in ourselves. */
function isNested(pid: number): boolean {
  const { name, value } = runtimeMarker
  const carries = (marker: string): boolean => hasEnvironmentMarker(pid, `${name}=${marker}`) === true
  return carries('') && !carries(value) && !carries(process.env[name] ?? value)
}
