import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { closeSync, openSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Containment, sendSignal } from './containment.ts'
import { lastPid, listPids, PidWindow } from './pid-window.ts'
import {
  canWriteTo,
  exists,
  hasOpen,
  isAlive,
  type ProcEntry,
  processOf,
  readEnvironment,
  readProcEntry,
  seesAllProcesses,
} from './proc-table.ts'
import { isRunning } from './process-group.ts'
import { ensureCommandDirectory } from './runtime-directory.ts'
import { newMarker, withMarker } from './runtime-marker.ts'

const markerDescriptor = 3
/** How often a scan is repeated while other processes are being started. */
const maxScans = 5

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
  readonly #marker: string = newMarker()
  /** Descriptor targets that only the command and its descendants can have. */
  readonly #links = new Set<string>()
  readonly #window = new PidWindow()
  readonly #known = new Map<number, ProcEntry>()
  #olderSessions: ReadonlySet<number> | null = null
  #child: ChildProcess | null = null
  #root = 0
  #groupHasEnded = false
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
    const env = withMarker(options.env, this.#marker)
    try {
      const child = start({ ...options, env, stdio: stdio as never })
      this.#child = child
      this.#root = child.pid ?? 0
      this.#since = readProcEntry(this.#root)?.startTime ?? 0
      this.#window.verify(this.#root)
      return child
    } finally {
      if (descriptor !== null) closeSync(descriptor)
    }
  }

  /** An unlinked file. If it cannot be created, the other markers are used. */
  #openMarker(): number | null {
    try {
      const file = join(ensureCommandDirectory(), `marker-${this.#marker.slice(0, -1)}`)
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
    const hasGroup = this.#hasGroup()
    for (let scan = 1; ; scan++) {
      const last = lastPid()
      const members = this.#scan(last)
      if (scan === 2 && hasGroup) sendSignal(-this.#root, 'SIGCONT')
      // If no process was started during the scan, none can have been missed.
      if (members.length > 0 || scan === maxScans || lastPid() === last)
        // Some processes of the group may be hidden from us, but a signal to the group reaches them.
        return members.length === 0 && hasGroup && !this.seesAllMembers ? [this.#root] : members
      // Each process may start the next and end before it is seen, but not while it is stopped.
      if (scan === 1 && hasGroup) sendSignal(-this.#root, 'SIGSTOP')
    }
  }

  /** Once the command and its group have ended, the id may be assigned to a group of somebody else. */
  #hasGroup(): boolean {
    if (this.#groupHasEnded) return false
    const found = exists(-this.#root)
    this.#groupHasEnded = !found && !isRunning(this.#child!)
    return found
  }

  #scan(last: number | null): number[] {
    const entries = new Map<number, ProcEntry>()
    const parents = new Map<number, ProcEntry | null>()
    // A process that has ended since the last scan may have left others in its session.
    const sessions = new Set<number>()
    for (const [pid, { startTime, session }] of this.#known) {
      sessions.add(session)
      const entry = readProcEntry(pid)
      if (isAlive(entry) && entry.startTime === startTime) entries.set(pid, entry)
      else this.#known.delete(pid)
    }
    for (const pid of this.#window.pids(last)) {
      const entry = entries.has(pid) ? null : readProcEntry(pid)
      if (entry === null) continue
      const mayBeOurs =
        isAlive(entry) &&
        pid !== process.pid &&
        entry.startTime >= this.#since &&
        !this.#isForeign(entry, parents)
      if (mayBeOurs) entries.set(pid, entry)
      else this.#window.ruleOut(pid)
    }
    this.#recognize([...entries.values()], sessions)
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
  #recognize(entries: readonly ProcEntry[], sessions: Set<number>): void {
    const marked = new Map<number, boolean | null>()
    const isMarked = (entry: ProcEntry): boolean | null => {
      if (!marked.has(entry.pid)) marked.set(entry.pid, this.#isMarked(entry))
      return marked.get(entry.pid)!
    }
    const isOurs = (entry: ProcEntry): boolean | null =>
      [entry.pid, entry.group, entry.session].includes(this.#root) ||
      this.#known.has(entry.parent) ||
      (sessions.has(entry.session) && this.#isOwnSession(entry.session)) ||
      isMarked(entry)
    let unknown = entries.filter(({ pid }) => !this.#known.has(pid))
    // Each that is recognized may relate others to the command.
    for (let before = -1; this.#known.size !== before; ) {
      before = this.#known.size
      unknown = unknown.filter((entry) => {
        const ours = isOurs(entry) === true && processOf(entry.pid) === entry.pid
        if (ours) this.#known.set(entry.pid, entry)
        if (ours) sessions.add(entry.session)
        return !ours
      })
    }
    for (const { pid } of unknown) if (marked.get(pid) !== null) this.#window.ruleOut(pid)
  }

  /** `null` if unknown. */
  #isMarked(entry: ProcEntry): boolean | null {
    if (hasOpen(entry, this.#links)) return true
    return readEnvironment(entry)?.includes(this.#marker) ?? null
  }

  findWriters(): void {
    for (const pid of listPids()) {
      const entry = readProcEntry(pid)
      if (!isAlive(entry) || pid === process.pid || entry.startTime < this.#since) continue
      if (canWriteTo(entry, this.#links)) this.#known.set(pid, entry)
    }
  }

  /** True if the command created this session of one of its processes: nothing else can join it. */
  #isOwnSession(session: number): boolean {
    if (this.#known.has(session) || isAlive(readProcEntry(session))) return this.#known.has(session)
    if (session === this.#root) return true
    // A daemon of the user has a session without a leader, too, and may start a process with our marker for the command.
    this.#olderSessions ??= sessionsOlderThan(this.#since)
    return !this.#olderSessions.has(session)
  }

  signal(signal: NodeJS.Signals | number): void {
    const isForGroups = signal === 'SIGKILL' || signal === 'SIGSTOP'
    const byGroup = this.#root > 0 && (isForGroups || !this.seesAllMembers) && this.#hasGroup()
    if (byGroup) sendSignal(-this.#root, signal)
    const members = this.members()
    // No process of a group can start another before it gets the signal.
    if (isForGroups) for (const group of this.#ownGroups()) sendSignal(-group, signal)
    for (const pid of members) {
      const isReached = byGroup && (pid === this.#root || this.#known.get(pid)?.group === this.#root)
      if (!isReached) sendSignal(pid, signal)
    }
  }

  #ownGroups(): ReadonlySet<number> {
    const own = [...this.#known.values()].filter(({ session }) => this.#isOwnSession(session))
    return new Set(own.map(({ group }) => group))
  }

  kill(): void {
    // A process that was started between the scan and the signal is still a child of one that is stopped.
    this.signal('SIGSTOP')
    this.signal('SIGKILL')
  }

  dispose(): void {}
}

/** Includes the runtime's own, and 0: the sessions of other PID namespaces. */
function sessionsOlderThan(startTime: number): ReadonlySet<number> {
  const sessions = new Set([0])
  for (const pid of listPids()) {
    const entry = readProcEntry(pid)
    if (entry !== null && (pid === process.pid || entry.startTime < startTime)) sessions.add(entry.session)
  }
  return sessions
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
