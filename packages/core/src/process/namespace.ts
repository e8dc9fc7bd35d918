import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { type Containment, sendSignal } from './containment.ts'
import { listPids } from './pid-window.ts'
import { isAlive, readProcEntry } from './proc-table.ts'
import { runtimeMarker } from './runtime-marker.ts'

/**
 * A PID namespace, for those who ask: nothing gets out, and the kernel ends all of it with its first process. The
 * command can see that: it is process 1, and signals that it does not handle do not reach it.
 */
export function createNamespace(): Containment {
  return new Namespace()
}

/** What to run to get a command into a namespace of its own. */
export function inNamespace(argv: readonly [string, ...string[]]): [string, ...string[]] {
  // Whoever is not root needs a user namespace to be allowed to.
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user']
  return ['unshare', ...user, '--pid', '--fork', '--kill-child', '--', ...argv]
}

class Namespace implements Containment {
  readonly kind = 'namespace'
  readonly canTell = true
  /** `unshare`, which waits for the first process inside. */
  #outer = 0
  #first = 0

  spawn(start: (options: SpawnOptions) => ChildProcess, options: SpawnOptions): ChildProcess {
    // For the watchdog: once we are gone it ends `unshare`, and the kernel the rest.
    const env = { ...options.env, [runtimeMarker.name]: runtimeMarker.value }
    const child = start({ ...options, env })
    this.#outer = child.pid ?? 0
    return child
  }

  /** The first process inside is the last to go: the kernel ends the others before it. */
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

/** 0 until there is one. */
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
