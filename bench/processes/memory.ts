import { readFileSync } from 'node:fs'

/** Current resident memory in megabytes. */
export function residentMegabytes(pid: number | 'self'): number {
  return megabytes(pid, 'VmRSS')
}

/** Peak resident memory in megabytes. */
export function peakMegabytes(pid: number | 'self'): number {
  return megabytes(pid, 'VmHWM')
}

function megabytes(pid: number | 'self', field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return (Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1_024) / 1_000_000
}
