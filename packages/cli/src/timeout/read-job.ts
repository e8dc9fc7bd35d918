import { readFileSync } from 'node:fs'

/** How this process relates to the controlling terminal of its session. */
export interface Job {
  /** A shell with job control started us, so our process group is the job that the user sees. */
  readonly isLeader: boolean
  /** The terminal sends Ctrl-C and Ctrl-Z to our process group. */
  readonly inForeground: boolean
}

/** `null` without a controlling terminal or without /proc. */
export function readJob(): Job | null {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [group, , terminal, foregroundGroup] = fields.slice(2, 6).map(Number)
    if (terminal === 0) return null
    return { isLeader: group === process.pid, inForeground: group === foregroundGroup }
  } catch {
    return null
  }
}

/** True if the process neither catches, ignores nor blocks the signal; `false` if that is unknown. */
export function isTerminatedBy(pid: number, signal: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const masks = [...status.matchAll(/^Sig(?:Blk|Ign|Cgt):\s*([\da-f]+)$/gm)]
    const bit = 1n << BigInt(signal - 1)
    return masks.length > 0 && masks.every(([, mask]) => (BigInt(`0x${mask}`) & bit) === 0n)
  } catch {
    return false
  }
}
