import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { type Containment, sendSignal } from './containment.ts'
import { ownProgram } from './own-program.ts'
import { listPids } from './pid-window.ts'
import { isAlive, readProcEntry } from './proc-table.ts'
import { newMarker, withMarker } from './runtime-marker.ts'

/**
 * A PID namespace, on request: nothing escapes it, and the kernel ends all of it with its first process. The command
 * notices it: it is process 1, and signals that it does not handle do not reach it.
 */
export function createNamespace(): Containment {
  return new Namespace()
}

/** The command line that runs a command in its own namespace. */
export function namespaceCommand(argv: readonly [string, ...string[]]): [string, ...string[]] {
  // Without root, this requires a user namespace.
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user']
  return [ownProgram('unshare'), ...user, '--pid', '--fork', '--kill-child', '--', ...argv]
}

class Namespace implements Containment {
  readonly kind = 'namespace'
  readonly seesAllMembers = true
  /** `unshare`, which waits for the first process inside. */
  #outer = 0
  #first = 0

  spawn(start: (options: SpawnOptions) => ChildProcess, options: SpawnOptions): ChildProcess {
    // For the watchdog: it ends `unshare` when we are gone, and the kernel ends the rest.
    const child = start({ ...options, env: withMarker(options.env, newMarker()) })
    this.#outer = child.pid ?? 0
    return child
  }

  /** The first process inside ends last: the kernel ends the others before it. */
  members(): number[] {
    if (this.#first === 0) this.#first = firstChild(this.#outer)
    return [this.#outer, this.#first].filter((pid) => pid > 0 && isAlive(readProcEntry(pid)))
  }

  signal(signal: NodeJS.Signals | number): void {
    if (!this.members().includes(this.#first)) return
    const name = namespaceOf(this.#first)
    if (name === null || name === namespaceOf(process.pid)) return
    for (const pid of listPids()) if (namespaceOf(pid) === name) sendSignal(pid, signal)
  }

  kill(): void {
    for (const pid of this.members()) sendSignal(pid, 'SIGKILL')
  }

  dispose(): void {}
}

/** 0 if there is none yet. */
function firstChild(pid: number): number {
  try {
    return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1'), 10) || 0
  } catch {
    return 0
  }
}

function namespaceOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return null
  }
}
