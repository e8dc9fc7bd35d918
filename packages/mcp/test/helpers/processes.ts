import { readdirSync, readFileSync } from 'node:fs'
import { until } from './until.ts'

let count = 0

/** All processes of a test have such a number in their arguments or their environment; `sleep` takes it too. */
export const newTag = (): string => `31537${process.pid}${++count}`

/** Whoever is alive and has the tag, found without our own code; a zombie is not alive. */
export function left(tag: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && isLeft(pid, tag))
}

function isLeft(pid: number, tag: string): boolean {
  try {
    if (/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))) return false
    return ['cmdline', 'environ'].some((file) => readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(tag))
  } catch {
    return false
  }
}

/** Waits until none is left; throws with what they are if some stay. */
export async function untilNoneLeft(tag: string, ms = 3_000): Promise<void> {
  await until(() => left(tag).length === 0, ms).catch((error: unknown) => {
    throw new Error(`still running: ${described(left(tag)).join(', ')}`, { cause: error })
  })
}

/** What they are, for the message of a test that fails. */
export function described(pids: readonly number[]): string[] {
  return pids.map((pid) => {
    try {
      return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')}`
    } catch {
      return `${pid} (gone by now)`
    }
  })
}

/** The most memory that the process ever had, in MiB. */
export function peakMemory(pid: number): number {
  const [, kB = 'NaN'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
  return Number(kB) / 1_024
}
