import { readFileSync } from 'node:fs'

/** How this process stands to the terminal that controls its session. */
export interface Job {
  /** A shell with job control started us: our process group is the job that the person sees. */
  readonly isLeader: boolean
  /** Ctrl-C and Ctrl-Z go to our process group. */
  readonly inForeground: boolean
}

/** `null` without a terminal, and where there is no /proc. */
export function readJob(): Job | null {
  try {
    const text = readFileSync('/proc/self/stat', 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [group, , terminal, foregroundGroup] = fields.slice(2, 6).map(Number)
    if (terminal === 0) return null
    return { isLeader: group === process.pid, inForeground: group === foregroundGroup }
  } catch {
    return null
  }
}

/** A process that neither catches, ignores nor blocks a signal ends when it gets it. `false` if that cannot be told. */
export function endsBy(pid: number, signal: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const masks = [...status.matchAll(/^Sig(?:Blk|Ign|Cgt):\s*([\da-f]+)$/gm)]
    const bit = 1n << BigInt(signal - 1)
    return masks.length > 0 && masks.every(([, mask]) => (BigInt(`0x${mask}`) & bit) === 0n)
  } catch {
    return false
  }
}
