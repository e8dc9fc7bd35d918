import { readFileSync, readlinkSync } from 'node:fs'

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
export function isAlive(entry: ProcEntry | null): entry is ProcEntry {
  return entry !== null && entry.state !== 'Z' && entry.state !== 'X'
}

/** `null` if it cannot be told: it may just be starting a program, or not be ours to see. */
export function hasEnvironmentMarker(pid: number, marker: string): boolean | null {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1')
    return environment === '' ? null : environment.includes(marker)
  } catch {
    return null
  }
}

/** Does the process hold one of these open, where it was given it or where output goes? */
export function holdsOneOf(pid: number, links: ReadonlySet<string>): boolean {
  for (let descriptor = 0; descriptor <= 3; descriptor++) {
    try {
      if (links.has(readlinkSync(`/proc/${pid}/fd/${descriptor}`))) return true
    } catch {
      // Closed, gone, or not ours to see.
    }
  }
  return false
}

/** Threads have numbers as processes do, and answer to them. */
export function isThread(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/status`, 'latin1').includes(`\nTgid:\t${pid}\n`)
  } catch {
    return false
  }
}
