import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { sendSignal } from './containment.ts'
import { exists, isAlive, isStopped, listNames, processOf, readProcEntry } from './proc-table.ts'
import { hasEnded } from './process-identity.ts'
import { ownerOf } from './runtime-directory.ts'
import { runtimeId } from './runtime-marker.ts'

/** Identifies a watchdog in its command line, next to the path of its cgroup. */
export const watchdogName = 'curfew-watchdog'

/** The cgroup v2 of this process; `null` if there is none. */
export function ownCgroup(): string | null {
  try {
    const mount = readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .find((line) => / - cgroup2 /.test(line))
      ?.split(' ')
    const path = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1]
    return mount === undefined || path === undefined ? null : join(mount[4]!, path)
  } catch {
    return null
  }
}

let home: { readonly own: string; readonly calls: string } | null | undefined

/** The cgroup in which this process can create others; `null` if it has no permission. Determined once. */
export function cgroupHome(): { readonly own: string; readonly calls: string } | null {
  if (home === undefined) home = findHome()
  return home
}

function findHome(): { own: string; calls: string } | null {
  try {
    const own = ownCgroup()
    if (own === null) return null
    const calls = join(own, `curfew-${runtimeId}`)
    removeStale(own)
    mkdirSync(calls, { recursive: true })
    if (!existsSync(join(calls, 'cgroup.kill'))) return discard(calls)
    // A check of the permission, because an actual move takes about 10 ms.
    for (const path of [own, calls]) accessSync(join(path, 'cgroup.procs'), constants.W_OK)
    // The watchdog does this too, but it is started only with the first command.
    process.once('exit', () => removeCgroup(calls))
    return { own, calls }
  } catch {
    return null
  }
}

/** Removes the cgroups of processes that were killed together with their watchdog, and kills the processes in them. */
function removeStale(own: string): void {
  for (const path of childCgroups(own)) {
    const owner = ownerOf(basename(path))
    if (owner === null || hasEnded(owner) !== true || removeCgroup(path) || hasWatchdog(path)) continue
    try {
      killCgroup(path)
    } catch {
      // Not ours, or already gone.
    }
    // If the kernel is still cleaning up, the next start removes it.
    removeCgroup(path)
  }
}

/** An active watchdog ends the commands itself, after their `killAfterMs`. It is outside: those inside may be imitations. */
function hasWatchdog(path: string): boolean {
  const inside = pidsIn(path).map(String)
  return listNames('/proc').some((pid) => {
    if (inside.includes(pid)) return false
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
      return args.includes(watchdogName) && args.includes(path) && !isStopped(Number(pid))
    } catch {
      // Not a process, or one that has just ended.
      return false
    }
  })
}

function discard(path: string): null {
  removeCgroup(path)
  return null
}

/** Removes a cgroup and its children. Returns false if some remain, which is possible right after a kill. */
export function removeCgroup(path: string): boolean {
  if (tryRemove(path)) return true
  for (const child of childCgroups(path)) removeCgroup(child)
  return tryRemove(path)
}

function tryRemove(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch {
    return !existsSync(path)
  }
}

/** Throws if the kernel does not support it. It ends no process whose first thread has ended, but a signal to its pid does. */
export function killCgroup(path: string): void {
  writeFileSync(join(path, 'cgroup.kill'), '1')
  for (const pid of pidsIn(path)) sendSignal(pid, 'SIGKILL')
}

/**
 * The live processes, including those in nested cgroups, which a command may create. `cgroup.procs` would miss a process
 * whose first thread ended in another cgroup.
 */
export function pidsIn(path: string): number[] {
  if (/^populated 0$/m.test(read(path, 'cgroup.events'))) return []
  const pids = new Set<number>()
  const pending = [path]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const threads = read(next, 'cgroup.threads').split('\n').map(Number)
    for (const thread of threads) if (thread > 0) pids.add(processOf(thread))
    pending.push(...childCgroups(next))
  }
  return [...pids].filter((pid) => {
    const entry = readProcEntry(pid)
    // It may exist but be hidden from us.
    return entry === null ? exists(pid) : isAlive(entry)
  })
}

function read(path: string, file: string): string {
  try {
    return readFileSync(join(path, file), 'latin1')
  } catch {
    return ''
  }
}

export function childCgroups(path: string): string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name))
  } catch {
    return []
  }
}
