import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cgroupHome, childCgroups, removeCgroup } from './cgroup-home.ts'
import { type Containment, sendSignal } from './containment.ts'
import { createMarkers } from './markers.ts'
import { exists, isAlive, readProcEntry } from './proc-table.ts'

let count = 0

/**
 * Creates a cgroup v2 for one command; `null` without permission. A command can leave it by writing to another cgroup's
 * `cgroup.procs`, so processes that carry a marker belong to the command too.
 */
export function createCgroup(): Containment | null {
  const found = cgroupHome()
  if (found === null) return null
  try {
    return new Cgroup(found.own, join(found.calls, String(++count)))
  } catch {
    // No more can be created; markers are used instead.
    return null
  }
}

class Cgroup implements Containment {
  readonly kind = 'cgroup'
  readonly seesAllMembers = true
  readonly #own: string
  readonly #path: string
  readonly #markers = createMarkers()

  constructor(own: string, path: string) {
    this.#own = own
    this.#path = path
    mkdirSync(path, { recursive: true })
  }

  /**
   * Moves this process into the cgroup, spawns, and moves out again, synchronously: a child starts in its parent's cgroup,
   * so it cannot start anything outside, and no wrapper is needed.
   */
  spawn(
    start: (options: SpawnOptions) => ChildProcess,
    options: SpawnOptions,
    pipes: readonly string[],
  ): ChildProcess {
    const startInside = (final: SpawnOptions): ChildProcess => {
      moveTo(this.#path)
      try {
        return start(final)
      } finally {
        moveTo(this.#own)
      }
    }
    return this.#markers.spawn(startInside, options, pipes)
  }

  members(): number[] {
    return [...new Set([...this.#inside(), ...this.#markers.members()])]
  }

  #inside(): number[] {
    return pidsIn(this.#path).filter((pid) => {
      if (pid === process.pid) return false
      const entry = readProcEntry(pid)
      // It may exist but be hidden from us.
      return entry === null ? exists(pid) : isAlive(entry)
    })
  }

  signal(signal: NodeJS.Signals | number): void {
    for (const pid of this.members()) sendSignal(pid, signal)
  }

  kill(): void {
    // If we failed to move out, or the command moved us in, cgroup.kill would kill us too.
    if (pidsIn(this.#path).includes(process.pid)) return this.signal('SIGKILL')
    try {
      writeFileSync(join(this.#path, 'cgroup.kill'), '1')
    } catch {
      this.signal('SIGKILL')
    }
    this.#markers.kill()
  }

  dispose(): void {
    // The kernel may still be cleaning up after a kill; the next dispose retries.
    for (const path of [...leftOver, this.#path]) {
      if (removeCgroup(path)) leftOver.delete(path)
      else leftOver.add(path)
    }
  }
}

const leftOver = new Set<string>()

/** Includes nested cgroups, which a command may create. */
function pidsIn(path: string): number[] {
  if (/^populated 0$/m.test(read(path, 'cgroup.events') ?? '')) return []
  const pids: number[] = []
  const pending = [path]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const lines = (read(next, 'cgroup.procs') ?? '').split('\n')
    for (const line of lines) if (line !== '') pids.push(Number(line))
    pending.push(...childCgroups(next))
  }
  return pids.filter((pid) => pid > 0)
}

function read(path: string, file: string): string | null {
  try {
    return readFileSync(join(path, file), 'latin1')
  } catch {
    return null
  }
}

/** Moves this whole process; "0" means the writer. */
function moveTo(path: string): void {
  writeFileSync(join(path, 'cgroup.procs'), '0')
}
