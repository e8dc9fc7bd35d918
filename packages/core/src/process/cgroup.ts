import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cgroupHome, removeCgroup } from './cgroup-home.ts'
import { type Containment, sendSignal } from './containment.ts'
import { isAlive, readProcEntry } from './proc-table.ts'

let count = 0

/** A cgroup v2 of its own for each command, where one may be made. Nothing gets out of it. */
export function createCgroup(): Containment | null {
  const found = cgroupHome()
  if (found === null) return null
  try {
    return new Cgroup(found.own, join(found.calls, String(++count)))
  } catch {
    // No more may be made: markers will do.
    return null
  }
}

class Cgroup implements Containment {
  readonly kind = 'cgroup'
  readonly #own: string
  readonly #path: string

  constructor(own: string, path: string) {
    this.#own = own
    this.#path = path
    mkdirSync(path)
  }

  /**
   * Goes in, starts the command, and comes out again: a child is born where its parent is, so there is no moment
   * in which it could start something outside. Without a wrapper, and all in one go.
   */
  spawn(start: (options: SpawnOptions) => ChildProcess, options: SpawnOptions): ChildProcess {
    moveTo(this.#path)
    try {
      return start(options)
    } finally {
      moveTo(this.#own)
    }
  }

  members(): number[] {
    return this.#pids().filter((pid) => pid !== process.pid && isAlive(readProcEntry(pid)))
  }

  #pids(): number[] {
    try {
      const lines = readFileSync(join(this.#path, 'cgroup.procs'), 'latin1').split('\n')
      return lines.map(Number).filter((pid) => pid > 0)
    } catch {
      return []
    }
  }

  signal(signal: NodeJS.Signals | number): void {
    for (const pid of this.members()) sendSignal(pid, signal)
  }

  kill(): void {
    // Should we ever fail to come out again, we must not end ourselves.
    if (this.#pids().includes(process.pid)) return this.signal('SIGKILL')
    try {
      writeFileSync(join(this.#path, 'cgroup.kill'), '1')
    } catch {
      this.signal('SIGKILL')
    }
  }

  dispose(): void {
    // Right after a kill the kernel may still be clearing up; the next one made here tries again.
    for (const path of [...leftOver, this.#path]) {
      if (removeCgroup(path)) leftOver.delete(path)
      else leftOver.add(path)
    }
  }
}

const leftOver = new Set<string>()

/** The whole process; "0" means whoever writes. */
function moveTo(path: string): void {
  writeFileSync(join(path, 'cgroup.procs'), '0')
}
