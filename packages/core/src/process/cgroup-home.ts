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
import { isStopped } from './proc-table.ts'
import { hasEnded } from './process-identity.ts'
import { listNames, ownerOf } from './runtime-directory.ts'
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
      writeFileSync(join(path, 'cgroup.kill'), '1')
    } catch {
      // Not ours, or already gone.
    }
    // If the kernel is still cleaning up, the next start removes it.
    removeCgroup(path)
  }
}

/** An active watchdog ends the commands itself, after their `killAfterMs`. */
function hasWatchdog(path: string): boolean {
  return listNames('/proc').some((pid) => {
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

export function childCgroups(path: string): string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name))
  } catch {
    return []
  }
}
