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
import { namesIn, ownerIn } from './runtime-directory.ts'
import { runtimeMarker } from './runtime-marker.ts'

/** What the watchdog's command line names it, beside the cgroup that it watches. */
export const watchdogName = 'curfew-watchdog'

/** The cgroup v2 that this process is in; `null` where there is none. */
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

/** Looked for once. */
export function cgroupHome(): { readonly own: string; readonly calls: string } | null {
  if (home === undefined) home = findHome()
  return home
}

/** Where this process may make cgroups; `null` where it may not. */
function findHome(): { own: string; calls: string } | null {
  try {
    const own = ownCgroup()
    if (own === null) return null
    const calls = join(own, `curfew-${runtimeMarker.value}`)
    removeStale(own)
    mkdirSync(calls, { recursive: true })
    if (!existsSync(join(calls, 'cgroup.kill'))) return discard(calls)
    // Not tried out: going in and out takes some 10 ms each on a machine that has been idle.
    for (const path of [own, calls]) accessSync(join(path, 'cgroup.procs'), constants.W_OK)
    // The watchdog does it too, but there is none until a command was run.
    process.once('exit', () => removeCgroup(calls))
    return { own, calls }
  } catch {
    return null
  }
}

/** What processes left behind that were killed along with their watchdog; whatever runs in there should be gone, too. */
function removeStale(own: string): void {
  for (const path of childCgroups(own)) {
    const owner = ownerIn(basename(path))
    if (owner === null || hasEnded(owner) !== true || removeCgroup(path) || hasWatchdog(path)) continue
    try {
      writeFileSync(join(path, 'cgroup.kill'), '1')
    } catch {
      // Not ours after all, or gone by now.
    }
    // Most likely the kernel is still clearing up; then the next start removes it.
    removeCgroup(path)
  }
}

/** A watchdog that is still at work gives the commands the time to end that was chosen for them. */
function hasWatchdog(path: string): boolean {
  return namesIn('/proc').some((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
      return words.includes(watchdogName) && words.includes(path)
    } catch {
      // No process, or one that has just ended.
      return false
    }
  })
}

function discard(path: string): null {
  removeCgroup(path)
  return null
}

/** With all beneath it. False if something is left, as for a moment after a kill. */
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
