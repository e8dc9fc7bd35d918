import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cgroupHome, killCgroup, pidsIn, removeCgroup } from './cgroup-home.ts'
import { type Containment, sendSignal } from './containment.ts'
import { createMarkers } from './markers.ts'

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
  readonly findWriters = (): void => this.#markers.findWriters?.()

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
    const pids = new Set([...pidsIn(this.#path), ...this.#markers.members()])
    pids.delete(process.pid)
    return [...pids]
  }

  signal(signal: NodeJS.Signals | number): void {
    for (const pid of this.members()) sendSignal(pid, signal)
  }

  kill(): void {
    // If we failed to move out, or the command moved us in, cgroup.kill would kill us too.
    if (pidsIn(this.#path).includes(process.pid)) return this.signal('SIGKILL')
    try {
      killCgroup(this.#path)
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

/** Moves this whole process; "0" means the writer. */
function moveTo(path: string): void {
  writeFileSync(join(path, 'cgroup.procs'), '0')
}
