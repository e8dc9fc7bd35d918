import { readdirSync, readFileSync } from 'node:fs'
import { until } from './until.ts'

export const linux: boolean = process.platform === 'linux'

let count = 0

/**
 * A number for the arguments or the environment of every process that a test starts; `sleep` accepts it too.
 * Its width is fixed, so that no tag contains another one.
 */
export const newTag = (): string => `31536${pad(process.pid, 7)}${pad(++count, 4)}`

const pad = (value: number, width: number): string => String(value).padStart(width, '0')

/** The running processes with the tag, found without Curfew's own code. Zombies do not count. */
export function left(tag: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && isLeft(pid, tag))
}

function isLeft(pid: number, tag: string): boolean {
  try {
    const hasEnded = /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
    // Perhaps only its first thread has ended: then the files of the others are not empty.
    const folders = hasEnded
      ? readdirSync(`/proc/${pid}/task`).map((thread) => `${pid}/task/${thread}`)
      : [pid]
    return folders.some((folder) =>
      ['cmdline', 'environ'].some((file) => contains(`/proc/${folder}/${file}`, tag)),
    )
  } catch {
    return false
  }
}

function contains(file: string, tag: string): boolean {
  try {
    return readFileSync(file, 'latin1').includes(tag)
  } catch {
    return false
  }
}

/** Waits until no process has the tag; throws with their command lines if some remain. */
export async function untilNoneLeft(tag: string, ms = 10_000): Promise<void> {
  await until(() => left(tag).length === 0, ms).catch((error: unknown) => {
    throw new Error(`still running: ${described(left(tag)).join(', ')}`, { cause: error })
  })
}

/** The command lines of processes, for the message of a failing test. */
export function described(pids: readonly number[]): string[] {
  return pids.map((pid) => {
    try {
      return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')}`
    } catch {
      return `${pid} (has ended)`
    }
  })
}

/** The peak memory of a process, in MiB. */
export function peakMemory(pid: number): number {
  const [, kB = 'NaN'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
  return Number(kB) / 1_024
}
