import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { closeSync, openSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Containment, sendSignal } from './containment.ts'
import { lastPid, PidWindow } from './pid-window.ts'
import {
  exists,
  hasEnvironmentMarker,
  holdsOneOf,
  isAlive,
  isThread,
  type ProcEntry,
  readProcEntry,
  seesAllProcesses,
} from './proc-table.ts'
import { ensureHeldDirectory } from './runtime-directory.ts'
import { runtimeMarker } from './runtime-marker.ts'

const markerDescriptor = 3
/** While others start processes, a look may have to be repeated; not for ever. */
const maxLooks = 5
let count = 0

/**
 * Group and session, descendants, a variable in the environment and an open descriptor, all together: without a cgroup,
 * and for what leaves its cgroup. What has none of these (a daemon that left its session, cleared its environment and
 * closed its descriptors) is not seen.
 */
export function createMarkers(): Containment {
  return new Markers()
}

class Markers implements Containment {
  readonly kind = 'markers'
  readonly canTell: boolean = seesAllProcesses()
  readonly #id: string = `${runtimeMarker.value}-${++count}`
  /** As /proc shows it. Without its end, the first command would be taken for the eleventh. */
  readonly #variable: string = `CURFEW_CALL=${this.#id}\0`
  /** Links of descriptors that only the command and what it started can have. */
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

  /** A file without a name. Where none can be made, the other marks have to do. */
  #openMarker(): number | null {
    try {
      const file = join(ensureHeldDirectory(), `marker-${this.#id}`)
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
    for (let look = 1; ; look++) {
      const last = lastPid()
      const members = this.#look(last)
      // If none was started meanwhile, none can have slipped past.
      if (members.length > 0 || look === maxLooks || lastPid() === last)
        return members.length === 0 && this.#hasHiddenGroup() ? [this.#root] : members
    }
  }

  /** Some of its group are hidden from us; a signal to the group reaches them. */
  #hasHiddenGroup(): boolean {
    return !this.canTell && exists(-this.#root)
  }

  #look(last: number | null): number[] {
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
        pid !== process.pid && entry.startTime >= this.#since && !this.#isOfOthers(entry, parents)
      if (mayBeOurs) entries.set(pid, entry)
      else this.#window.ruleOut(pid)
    }
    for (const entry of entries.values()) this.#recognise(entry, entries)
    return [...this.#known.keys()]
  }

  /**
   * Is it the child of somebody who was there before the command? Ours are children of ours or, once these have ended, of
   * an ancestor of the command: no other process can adopt them. To know so much saves looking at all that others start.
   */
  #isOfOthers({ parent }: ProcEntry, parents: Map<number, ProcEntry | null>): boolean {
    if (!this.canTell || this.#known.has(parent) || ancestors().has(parent)) return false
    const entry = parents.has(parent) ? parents.get(parent)! : readProcEntry(parent)
    parents.set(parent, entry)
    return isAlive(entry) && entry.startTime < this.#since
  }

  /** Once seen, a process is known for good: it may lose its parent and its marks later, but never gain any. */
  #recognise(entry: ProcEntry, entries: Map<number, ProcEntry>): boolean {
    const { pid, group, session } = entry
    if (this.#known.has(pid)) return true
    const parent = entries.get(entry.parent)
    const isNear =
      pid === this.#root ||
      group === this.#root ||
      session === this.#root ||
      (parent !== undefined && this.#recognise(parent, entries))
    const isMarked = isNear || holdsOneOf(pid, this.#links) || hasEnvironmentMarker(pid, this.#variable)
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
    // Twice: between looking and killing, one of them may have started another.
    this.signal('SIGKILL')
    this.signal('SIGKILL')
  }

  dispose(): void {}
}

let ownAncestors: ReadonlySet<number> | null = null

/** This process and those above it. They stay the same: when one ends, its children go to another of them. */
function ancestors(): ReadonlySet<number> {
  if (ownAncestors !== null) return ownAncestors
  const found = new Set<number>()
  for (let pid = process.pid; pid > 0 && !found.has(pid); pid = readProcEntry(pid)?.parent ?? 0)
    found.add(pid)
  ownAncestors = found.add(1)
  return found
}
