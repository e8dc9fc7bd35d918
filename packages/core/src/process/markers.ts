import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Containment, sendSignal } from './containment.ts'
import {
  hasDescriptorMarker,
  hasEnvironmentMarker,
  isAlive,
  listPids,
  type ProcEntry,
  readProcEntry,
} from './proc-table.ts'
import { runtimeMarker } from './runtime-marker.ts'
import { ensureWatchdog } from './watchdog.ts'

const markerDescriptor = 3
let count = 0

/**
 * Without a cgroup: group and session, descendants, a variable in the environment and an open descriptor, all together.
 * What has none of these (a daemon that left its session, cleared its environment and closed its descriptors) is not seen.
 */
export function createMarkers(): Containment {
  ensureWatchdog()
  return new Markers()
}

class Markers implements Containment {
  readonly kind = 'markers'
  readonly #variable: string = `CURFEW_CALL=${runtimeMarker.value}-${++count}`
  readonly #directory: string
  readonly #file: string
  readonly #since: number
  readonly #known = new Map<number, number>()
  #root = 0

  constructor() {
    this.#directory = mkdtempSync(join(tmpdir(), 'curfew-call-'))
    this.#file = join(this.#directory, 'marker')
    this.#since = readProcEntry(process.pid)?.startTime ?? 0
  }

  spawn(start: (options: SpawnOptions) => ChildProcess, options: SpawnOptions): ChildProcess {
    const [name, value] = this.#variable.split('=') as [string, string]
    const descriptor = openSync(this.#file, 'w', 0o600)
    try {
      const stdio = [...(options.stdio as NonNullable<unknown>[])]
      stdio[markerDescriptor] = descriptor
      const env = { ...options.env, [name]: value, [runtimeMarker.name]: runtimeMarker.value }
      const child = start({ ...options, env, stdio: stdio as never })
      this.#root = child.pid ?? 0
      return child
    } finally {
      closeSync(descriptor)
    }
  }

  members(): number[] {
    const entries = new Map<number, ProcEntry>()
    for (const pid of listPids()) {
      const entry = readProcEntry(pid)
      if (entry !== null && entry.startTime >= this.#since && pid !== process.pid) entries.set(pid, entry)
    }
    const foreign = new Set<number>()
    for (const entry of entries.values()) this.#recognise(entry, entries, foreign)
    return [...this.#known]
      .filter(([pid, startTime]) => {
        const entry = entries.get(pid) ?? null
        return entry?.startTime === startTime && isAlive(entry)
      })
      .map(([pid]) => pid)
  }

  /** Once seen, a process is known for good: it may lose its parent and its marks later. */
  #recognise(entry: ProcEntry, entries: ReadonlyMap<number, ProcEntry>, foreign: Set<number>): boolean {
    if (this.#known.get(entry.pid) === entry.startTime) return true
    if (foreign.has(entry.pid)) return false
    const parent = entries.get(entry.parent)
    const ours =
      entry.pid === this.#root ||
      entry.group === this.#root ||
      entry.session === this.#root ||
      (parent !== undefined && this.#recognise(parent, entries, foreign)) ||
      hasDescriptorMarker(entry.pid, markerDescriptor, this.#file) ||
      hasEnvironmentMarker(entry.pid, this.#variable)
    if (ours) this.#known.set(entry.pid, entry.startTime)
    else foreign.add(entry.pid)
    return ours
  }

  signal(signal: NodeJS.Signals | number): void {
    for (const pid of this.members()) sendSignal(pid, signal)
  }

  kill(): void {
    // Twice: between looking and killing, one of them may have started another.
    this.signal('SIGKILL')
    this.signal('SIGKILL')
  }

  dispose(): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }
}
