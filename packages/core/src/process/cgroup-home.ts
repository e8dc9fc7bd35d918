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
import { hasEnded } from './process-identity.ts'
import { listNames, ownerOf } from './runtime-directory.ts'
import { runtimeMarker } from './runtime-marker.ts'

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

/** Where this process may create cgroups; `null` if it may not. Determined once. */
export function cgroupHome(): { readonly own: string; readonly calls: string } | null {
  if (home === undefined) home = findHome()
  return home
}

function findHome(): { own: string; calls: string } | null {
  try {
    const own = ownCgroup()
    if (own === null) return null
    const calls = join(own, `curfew-${runtimeMarker.value}`)
    removeStale(own)
    mkdirSync(calls, { recursive: true })
    if (!existsSync(join(calls, 'cgroup.kill'))) return discard(calls)
    // Not tried out: each move takes about 10 ms on an idle machine.
    for (const path of [own, calls]) accessSync(join(path, 'cgroup.procs'), constants.W_OK)
    // The watchdog does this too, but it is started only with the first command.
    process.once('exit', () => removeCgroup(calls))
    return { own, calls }
  } catch {
    return null
  }
}

/** Removes the cgroups of processes that were killed together with their watchdog, and kills what still runs in them. */
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

/** An active watchdog still gives the commands their chosen time to end. */
function hasWatchdog(path: string): boolean {
  return listNames('/proc').some((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
      return words.includes(watchdogName) && words.includes(path)
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

/** Removes a cgroup with all its children. False if something is left, as it may be right after a kill. */
export function removeCgroup(path: string): boolean {
  if (removed(path)) return true
  for (const child of childCgroups(path)) removeCgroup(child)
  return removed(path)
}

function removed(path: string): boolean {
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
