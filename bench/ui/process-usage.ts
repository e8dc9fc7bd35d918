import { readFileSync } from 'node:fs'

/** Linux reports CPU time in ticks of 10 ms. */
const ticksPerSecond = 100

/** The CPU time that a process has used in all its threads, without its children. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** The proportional set size: memory shared with other processes is counted in part. */
export function pssMegabytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')
  return (Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) * 1_024) / 1_000_000
}
