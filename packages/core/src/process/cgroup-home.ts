import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'

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
    const calls = join(own, `curfew-${process.pid}`)
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

/** What processes left behind whose watchdog was killed as well. */
function removeStale(own: string): void {
  for (const name of readdirSync(own)) {
    const pid = /^curfew-(\d+)$/.exec(name)?.[1]
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue
    const stale = join(own, name)
    for (const entry of readdirSync(stale, { withFileTypes: true })) {
      if (entry.isDirectory()) removeCgroup(join(stale, entry.name))
    }
    removeCgroup(stale)
  }
}

function discard(path: string): null {
  removeCgroup(path)
  return null
}

export function removeCgroup(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch {
    return !existsSync(path)
  }
}
