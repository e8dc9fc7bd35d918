import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** A process as listed in /proc. Linux only. */
export interface ProcEntry {
  readonly pid: number
  readonly state: string
  readonly threads: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** In clock ticks since boot; together with the pid, it identifies a process uniquely. */
  readonly startTime: number
}

/** Whether /proc is mounted and belongs to our PID namespace. */
export function hasProc(): boolean {
  return readLink('/proc/self') === String(process.pid)
}

let seesAll: boolean | undefined

/** False if /proc hides the processes of other users (hidepid), such as those started with `sudo`. */
export function seesAllProcesses(): boolean {
  seesAll ??=
    readProcEntry(1) !== null &&
    (process.getuid?.() === 0 || !/ - proc .*hidepid=(?!0|off)/.test(read('/proc/self/mountinfo')))
  return seesAll
}

/** `null` if the process has ended or is hidden from us. */
export function readProcEntry(pid: number): ProcEntry | null {
  const text = read(`/proc/${pid}/stat`)
  if (text === '') return null
  // The name is in parentheses and may itself contain parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return {
    pid,
    state: fields[0]!,
    threads: Number(fields[17]),
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    startTime: Number(fields[19]),
  }
}

/** A zombie has ended, and only waits to be reaped by its parent, unless just its first thread has ended. */
export function isAlive(entry: ProcEntry | null): entry is ProcEntry {
  return entry !== null && (!hasEndedFirstThread(entry) || entry.threads > 1)
}

function hasEndedFirstThread({ state }: ProcEntry): boolean {
  return state === 'Z' || state === 'X'
}

/** The folders in which /proc shows the environment and descriptors: those of its other threads if the first one has ended. */
function foldersOf(entry: ProcEntry): string[] {
  return hasEndedFirstThread(entry) ? threadsOf(entry) : [`/proc/${entry.pid}`]
}

function threadsOf({ pid }: ProcEntry): string[] {
  return listNames(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`)
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
export function readEnvironment(entry: ProcEntry): string | null {
  for (const folder of foldersOf(entry)) {
    const environment = read(`${folder}/environ`)
    if (environment !== '') return environment
  }
  return null
}

/** A process may have so many descriptors that reading all of them takes seconds. */
const maxDescriptors = 256

/** True if the process has one of these files open as one of its first descriptors. */
export function hasOpen(entry: ProcEntry, links: ReadonlySet<string>): boolean {
  return foldersOf(entry).some((folder) =>
    descriptorsOf(folder)
      .slice(0, maxDescriptors)
      .some((path) => links.has(readLink(path))),
  )
}

/** True if any thread of the process has one of these files open for writing. Slow: reads all descriptors. */
export function canWriteTo(entry: ProcEntry, links: ReadonlySet<string>): boolean {
  // The permissions of the link are those of the descriptor.
  return threadsOf(entry)
    .flatMap(descriptorsOf)
    .some((path) => links.has(readLink(path)) && isWritable(path))
}

function descriptorsOf(folder: string): string[] {
  return listNames(`${folder}/fd`).map((name) => `${folder}/fd/${name}`)
}

function isWritable(link: string): boolean {
  return ((lstatSync(link, { throwIfNoEntry: false })?.mode ?? 0) & 0o200) !== 0
}

/** The process of a thread: threads have pids too, and /proc lists them when asked directly. */
export function processOf(thread: number): number {
  return Number(/^Tgid:\t(\d+)/m.exec(read(`/proc/${thread}/status`))?.[1] ?? thread)
}

/** Empty if it is gone, or not readable for us; so are the links and folders below. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
