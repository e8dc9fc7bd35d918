import type { ChildProcess, SpawnOptions } from 'node:child_process'

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

/** Sends a signal; a process that is gone already is no error. */
export function sendSignal(pid: number, signal: NodeJS.Signals | number): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone, or not ours to signal; the sweep will tell.
  }
}
