import type { ChildProcess, SpawnOptions } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ownCgroup } from './cgroup-home.ts'
import { type Containment, sendSignal } from './containment.ts'
import { isAlive, readProcEntry } from './proc-table.ts'
import { ensureWatchdog } from './watchdog.ts'

let home: { readonly own: string; readonly calls: string } | null | undefined
let count = 0

/** A cgroup v2 of its own for each command, where one may be made. Nothing gets out of it. */
export function createCgroup(): Containment | null {
  const found = cgroupHome()
  ensureWatchdog(found?.calls ?? null)
  return found === null ? null : new Cgroup(found.own, join(found.calls, String(++count)))
}

/** Looked for once. */
export function cgroupHome(): { readonly own: string; readonly calls: string } | null {
  if (home === undefined) home = findHome()
  return home
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
    try {
      const pids = readFileSync(join(this.#path, 'cgroup.procs'), 'latin1').split('\n').map(Number)
      return pids.filter((pid) => pid > 0 && isAlive(readProcEntry(pid)))
    } catch {
      return []
    }
  }

  signal(signal: NodeJS.Signals | number): void {
    for (const pid of this.members()) sendSignal(pid, signal)
  }

  kill(): void {
    try {
      writeFileSync(join(this.#path, 'cgroup.kill'), '1')
    } catch {
      this.signal('SIGKILL')
    }
  }

  dispose(): void {
    // Right after a kill the kernel may still be clearing up; the next one made here tries again.
    for (const path of [...leftOver, this.#path]) {
      if (remove(path)) leftOver.delete(path)
      else leftOver.add(path)
    }
  }
}

const leftOver = new Set<string>()

function remove(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch {
    return !existsSync(path)
  }
}

/** The whole process; "0" means whoever writes. */
function moveTo(path: string): void {
  writeFileSync(join(path, 'cgroup.procs'), '0')
}

/** Where this process may make cgroups; `null` where it may not. */
function findHome(): { own: string; calls: string } | null {
  try {
    const own = ownCgroup()
    if (own === null) return null
    const calls = join(own, `curfew-${process.pid}`)
    removeStale(own)
    mkdirSync(calls, { recursive: true })
    if (!existsSync(join(calls, 'cgroup.kill'))) return discard(calls)
    // Not tried out: going in and out takes some 10 ms each on a machine that has been idle.
    for (const path of [own, calls]) accessSync(join(path, 'cgroup.procs'), constants.W_OK)
    // The watchdog does it too, but there is none until a command was run.
    process.once('exit', () => remove(calls))
    return { own, calls }
  } catch {
    return null
  }
}

/** What processes left behind whose watchdog was killed as well. */
function removeStale(own: string): void {
  for (const name of readdirSync(own)) {
    const pid = /^curfew-(\d+)$/.exec(name)?.[1]
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue
    const stale = join(own, name)
    for (const entry of readdirSync(stale, { withFileTypes: true })) {
      if (entry.isDirectory()) remove(join(stale, entry.name))
    }
    remove(stale)
  }
}

function discard(path: string): null {
  remove(path)
  return null
}
