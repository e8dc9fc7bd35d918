import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** What /proc says of a process. Linux only. */
export interface ProcEntry {
  readonly pid: number
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
  /** In clock ticks since boot; with the pid it names a process for good. */
  readonly startTime: number
}

/** `null` if there is no such process any more. */
export function readProcEntry(pid: number): ProcEntry | null {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return null
  }
  // The name stands in brackets and may contain anything, brackets too.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return {
    pid,
    state: fields[0]!,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    startTime: Number(fields[19]),
  }
}

/** A zombie has ended; it only waits to be fetched by its parent. */
export function isAlive(entry: ProcEntry | null): boolean {
  return entry !== null && entry.state !== 'Z' && entry.state !== 'X'
}

export function listPids(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
}

export function hasEnvironmentMarker(pid: number, marker: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(marker)
  } catch {
    return false
  }
}

/** Does the process hold this file open under the descriptor that it was given? */
export function hasDescriptorMarker(pid: number, descriptor: number, target: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`) === target
  } catch {
    return false
  }
}
