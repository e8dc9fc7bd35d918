import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { type Containment, sendSignal } from './containment.ts'
import { isAlive, listPids, readProcEntry } from './proc-table.ts'
import { runtimeMarker } from './runtime-marker.ts'
import { ensureWatchdog } from './watchdog.ts'

/**
 * A PID namespace, for those who ask: nothing gets out, and the kernel ends all of it with its first process. The
 * command can see that: it is process 1, and signals that it does not handle do not reach it.
 */
export function createNamespace(): Containment {
  ensureWatchdog()
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
  #outer = 0
  #name: string | null = null

  spawn(start: (options: SpawnOptions) => ChildProcess, options: SpawnOptions): ChildProcess {
    // For the watchdog: once we are gone it ends `unshare`, and the kernel the rest.
    const env = { ...options.env, [runtimeMarker.name]: runtimeMarker.value }
    const child = start({ ...options, env })
    this.#outer = child.pid ?? 0
    return child
  }

  members(): number[] {
    this.#name ??= this.#findName()
    return listPids().filter(
      (pid) =>
        (pid === this.#outer || (this.#name !== null && namespaceOf(pid) === this.#name)) &&
        isAlive(readProcEntry(pid)),
    )
  }

  /** The first process inside is the only child of `unshare`; it may take a moment to appear. */
  #findName(): string | null {
    try {
      const children = readFileSync(`/proc/${this.#outer}/task/${this.#outer}/children`, 'latin1')
      const name = namespaceOf(Number.parseInt(children, 10))
      return name === namespaceOf(process.pid) ? null : name
    } catch {
      return null
    }
  }

  signal(signal: NodeJS.Signals | number): void {
    for (const pid of this.members()) if (pid !== this.#outer) sendSignal(pid, signal)
  }

  kill(): void {
    const members = this.members()
    for (const pid of members) sendSignal(pid, 'SIGKILL')
  }

  dispose(): void {}
}

function namespaceOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return null
  }
}
