import { readFileSync, writeFile } from 'node:fs'
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

/**
 * Moves this process to where it is already. On a machine that has been idle the first move takes some 10 ms and those
 * after it next to nothing; whoever knows that a command is coming can have that done beside other things.
 */
export function warmUpCgroups(): void {
  const own = ownCgroup()
  if (own !== null) writeFile(join(own, 'cgroup.procs'), '0', () => {})
}
