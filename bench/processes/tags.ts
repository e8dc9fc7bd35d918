import { readdirSync, readFileSync } from 'node:fs'

/**
 * Every process that is meant to be ended has a tag among its arguments, and is found by it without Curfew's own code. A tag
 * is also how long to sleep, in seconds: should one be missed after all, it ends by itself.
 */
const commonTag = `600.${String(process.pid).padStart(8, '0')}`
let count = 0

export function newTag(): string {
  return `${commonTag}${String(++count).padStart(4, '0')}`
}

/** The pids of all that carry a tag and are alive. */
export function findTagged(tag: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isAlive(pid) && argumentsOf(pid).includes(tag))
}

/** The same without those that only keep the time, or the door, for a command. */
export function findCommands(tag: string): number[] {
  return findTagged(tag).filter((pid) => !/^(timeout|unshare)\0/.test(argumentsOf(pid)))
}

export function endTagged(tag: string): void {
  // Whoever is seen may have started another meanwhile.
  for (const deadline = performance.now() + 2_000; performance.now() < deadline; ) {
    const pids = findTagged(tag)
    if (pids.length === 0) return
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // Gone already.
      }
    }
  }
}

/** A zombie has ended; it only waits to be fetched by its parent. */
function isAlive(pid: number): boolean {
  const stat = readProc(pid, 'stat')
  return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
}

function argumentsOf(pid: number): string {
  return readProc(pid, 'cmdline')
}

/** Empty if there is no such process any more. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}

process.on('exit', () => endTagged(commonTag))
