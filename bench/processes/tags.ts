import { readdirSync, readFileSync } from 'node:fs'

/**
 * Every process of a scenario has a tag among its arguments, by which it is found without Curfew's own code. A tag is also a number of
 * seconds to sleep, so a process that was missed exits by itself.
 */
const commonTag = `600.${String(process.pid).padStart(8, '0')}`
let count = 0

export function newTag(): string {
  return `${commonTag}${String(++count).padStart(4, '0')}`
}

/** The pids of all live processes with the tag. */
export function findTagged(tag: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isAlive(pid) && argumentsOf(pid).includes(tag))
}

/** The same without the wrappers `timeout` and `unshare`. */
export function findCommands(tag: string): number[] {
  return findTagged(tag).filter((pid) => !/^(timeout|unshare)\0/.test(argumentsOf(pid)))
}

export function endTagged(tag: string): void {
  // A process may start another one between the search and the kill.
  for (const deadline = performance.now() + 2_000; performance.now() < deadline; ) {
    const pids = findTagged(tag)
    if (pids.length === 0) return
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has already exited.
      }
    }
  }
}

/** A zombie has exited and only waits for its parent to reap it. */
function isAlive(pid: number): boolean {
  const stat = readProc(pid, 'stat')
  return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
}

function argumentsOf(pid: number): string {
  return readProc(pid, 'cmdline')
}

/** Empty if the process no longer exists. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}

process.on('exit', () => endTagged(commonTag))
