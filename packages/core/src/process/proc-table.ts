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

/** Is /proc there, and does it tell of our own processes? In a PID namespace with the /proc of another, it does not. */
export function hasProc(): boolean {
  try {
    return readlinkSync('/proc/self') === String(process.pid)
  } catch {
    return false
  }
}

let seesAll: boolean | undefined

/** False where /proc hides the processes of other users (hidepid): what a command started with `sudo` is one. */
export function seesAllProcesses(): boolean {
  seesAll ??=
    readProcEntry(1) !== null && (process.getuid?.() === 0 || !/ - proc .*hidepid=(?!0|off)/.test(mounts()))
  return seesAll
}

function mounts(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'latin1')
  } catch {
    return ''
  }
}

/** `null` if there is no such process any more, or it is hidden from us. */
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

/** Is there such a process or, with a negative number, such a group? Zombies count. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
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
