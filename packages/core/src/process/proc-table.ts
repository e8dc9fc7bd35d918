import { readFileSync, readlinkSync } from 'node:fs'

/** A process as listed in /proc. Linux only. */
export interface ProcEntry {
  readonly pid: number
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
  /** In clock ticks since boot; together with the pid, it identifies a process uniquely. */
  readonly startTime: number
}

/** Whether /proc is mounted and belongs to our PID namespace. */
export function hasProc(): boolean {
  try {
    return readlinkSync('/proc/self') === String(process.pid)
  } catch {
    return false
  }
}

let seesAll: boolean | undefined

/** False if /proc hides the processes of other users (hidepid), such as those started with `sudo`. */
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

/** `null` if the process has ended or is hidden from us. */
export function readProcEntry(pid: number): ProcEntry | null {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return null
  }
  // The name is in parentheses and may itself contain parentheses.
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

/** A zombie has ended, and only waits to be reaped by its parent. */
export function isAlive(entry: ProcEntry | null): entry is ProcEntry {
  return entry !== null && entry.state !== 'Z' && entry.state !== 'X'
}

/** By a signal, not by a debugger. */
export function isStopped(pid: number): boolean {
  return readProcEntry(pid)?.state === 'T'
}

/** Whether the process exists or, with a negative number, the group. Zombies count. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** `null` if unknown: the process may be in the middle of `exec`, or not readable for us. */
export function readEnvironment(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1') || null
  } catch {
    return null
  }
}

/** Whether the process has one of these files open as descriptor 0 to 3. */
export function hasOpen(pid: number, links: ReadonlySet<string>): boolean {
  for (let descriptor = 0; descriptor <= 3; descriptor++) {
    try {
      if (links.has(readlinkSync(`/proc/${pid}/fd/${descriptor}`))) return true
    } catch {
      // Closed, gone, or not readable for us.
    }
  }
  return false
}

/** Threads have pids too, and /proc lists them when asked directly. */
export function isThread(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/status`, 'latin1').includes(`\nTgid:\t${pid}\n`)
  } catch {
    return false
  }
}
