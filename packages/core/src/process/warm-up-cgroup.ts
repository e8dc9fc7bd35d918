import { close, openSync, write } from 'node:fs'
import { join } from 'node:path'
import { ownCgroup } from './cgroup-home.ts'

/**
 * The first move into a cgroup after a pause waits 5 to 20 ms for a lock in the kernel; moves right after it do not. This takes the
 * lock in the background, for a program that is about to start its first command. It never moves anything: a single thread cannot
 * leave the cgroup of its process.
 */
export function warmUpCgroup(): void {
  const own = ownCgroup()
  if (own === null) return
  try {
    const file = openSync(join(own, 'cgroup.threads'), 'w')
    write(file, String(process.pid), () => close(file))
  } catch {
    // Without permission there is nothing to warm up: commands do not get a cgroup either.
  }
}
