import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { closeSync, openSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Containment, sendSignal } from './containment.ts'
import { lastPid, PidWindow } from './pid-window.ts'
import {
  exists,
  hasEnvironmentMarker,
  hasOpen,
  isAlive,
  isThread,
  type ProcEntry,
  readProcEntry,
  seesAllProcesses,
} from './proc-table.ts'
import { ensureCommandDirectory } from './runtime-directory.ts'
import { runtimeMarker } from './runtime-marker.ts'

const markerDescriptor = 3
/** How often a scan is repeated while other processes are being started. */
const maxScans = 5
let count = 0

/**
 * Combines group and session, descendants, an environment variable and an open descriptor: used without a cgroup, and for
 * processes that leave their cgroup. Misses a process that has none of these (a daemon that left its session, cleared its
 * environment and closed its descriptors).
 */
export function createMarkers(): Containment {
  return new Markers()
}

class Markers implements Containment {
  readonly kind = 'markers'
  readonly seesAllMembers: boolean = seesAllProcesses()
  readonly #id: string = `${runtimeMarker.value}-${++count}`
  /** As /proc shows it. Without the terminator, command 1 would also match command 11. */
  readonly #variable: string = `CURFEW_CALL=${this.#id}\0`
  /** Descriptor targets that only the command and its descendants can have. */
  readonly #links = new Set<string>()
  readonly #window = new PidWindow()
  readonly #known = new Map<number, ProcEntry>()
  #root = 0
  #since = 0

  spawn(
    start: (options: SpawnOptions) => ChildProcess,
    options: SpawnOptions,
    pipes: readonly string[],
  ): ChildProcess {
    const descriptor = this.#openMarker()
    for (const pipe of pipes) this.#links.add(pipe)
    const stdio = [...(options.stdio as NonNullable<unknown>[])]
    if (descriptor !== null) stdio[markerDescriptor] = descriptor
    const env = { ...options.env, CURFEW_CALL: this.#id, [runtimeMarker.name]: runtimeMarker.value }
    try {
      const child = start({ ...options, env, stdio: stdio as never })
      this.#root = child.pid ?? 0
      this.#since = readProcEntry(this.#root)?.startTime ?? 0
      return child
    } finally {
      if (descriptor !== null) closeSync(descriptor)
    }
  }

  /** An unlinked file. If it cannot be created, the other markers are used. */
  #openMarker(): number | null {
    try {
      const file = join(ensureCommandDirectory(), `marker-${this.#id}`)
      const descriptor = openSync(file, 'wx', 0o600)
      unlinkSync(file)
      this.#links.add(`${file} (deleted)`)
      return descriptor
    } catch {
      return null
    }
  }

  members(): number[] {
    if (this.#root === 0) return []
    for (let scan = 1; ; scan++) {
      const last = lastPid()
      const members = this.#scan(last)
      // If no process was started during the scan, none can have been missed.
      if (members.length > 0 || scan === maxScans || lastPid() === last)
        return members.length === 0 && this.#hasHiddenGroup() ? [this.#root] : members
    }
  }

  /** Some processes of the group are hidden from us, but a signal to the group reaches them. */
  #hasHiddenGroup(): boolean {
    return !this.seesAllMembers && exists(-this.#root)
  }

  #scan(last: number | null): number[] {
    const entries = new Map<number, ProcEntry>()
    const parents = new Map<number, ProcEntry | null>()
    for (const [pid, { startTime }] of this.#known) {
      const entry = readProcEntry(pid)
      if (isAlive(entry) && entry.startTime === startTime) entries.set(pid, entry)
      else this.#known.delete(pid)
    }
    for (const pid of this.#window.pids(last)) {
      const entry = entries.has(pid) ? null : readProcEntry(pid)
      if (!isAlive(entry)) continue
      const mayBeOurs =
        pid !== process.pid && entry.startTime >= this.#since && !this.#isForeign(entry, parents)
      if (mayBeOurs) entries.set(pid, entry)
      else this.#window.ruleOut(pid)
    }
    for (const entry of entries.values()) this.#recognize(entry, entries)
    return [...this.#known.keys()]
  }

  /**
   * Whether its parent is older than the command and not one of our ancestors. Our processes are children of ours or, once
   * orphaned, of an ancestor. This avoids inspecting everything that others start.
   */
  #isForeign({ parent }: ProcEntry, parents: Map<number, ProcEntry | null>): boolean {
    if (!this.seesAllMembers || this.#known.has(parent) || ancestors().has(parent)) return false
    const entry = parents.has(parent) ? parents.get(parent)! : readProcEntry(parent)
    parents.set(parent, entry)
    return isAlive(entry) && entry.startTime < this.#since
  }

  /** A recognized process stays known: it may lose its parent and markers later, but never gain any. */
  #recognize(entry: ProcEntry, entries: Map<number, ProcEntry>): boolean {
    const { pid, group, session } = entry
    if (this.#known.has(pid)) return true
    const parent = entries.get(entry.parent)
    const isRelated =
      pid === this.#root ||
      group === this.#root ||
      session === this.#root ||
      (parent !== undefined && this.#recognize(parent, entries))
    const isMarked = isRelated || hasOpen(pid, this.#links) || hasEnvironmentMarker(pid, this.#variable)
    const ours = isMarked === true && !isThread(pid)
    if (ours) this.#known.set(pid, entry)
    else if (isMarked !== null) this.#window.ruleOut(pid)
    if (!ours) entries.delete(pid)
    return ours
  }

  signal(signal: NodeJS.Signals | number): void {
    const byGroup = this.#root > 0 && this.#hasHiddenGroup()
    if (byGroup) sendSignal(-this.#root, signal)
    for (const pid of this.members()) {
      const isReached = byGroup && (pid === this.#root || this.#known.get(pid)?.group === this.#root)
      if (!isReached) sendSignal(pid, signal)
    }
  }

  kill(): void {
    // Twice: a process may have been started between the scan and the signal.
    this.signal('SIGKILL')
    this.signal('SIGKILL')
  }

  dispose(): void {}
}

let ownAncestors: ReadonlySet<number> | null = null

/** This process and its ancestors. Computed once: when one ends, its children are adopted by another of them. */
function ancestors(): ReadonlySet<number> {
  if (ownAncestors !== null) return ownAncestors
  const found = new Set<number>()
  for (let pid = process.pid; pid > 0 && !found.has(pid); pid = readProcEntry(pid)?.parent ?? 0)
    found.add(pid)
  ownAncestors = found.add(1)
  return found
}
