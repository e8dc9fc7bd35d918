import { type CallRow, formatDuration } from '@curfew/core'

/** Limits below this are shown with tenths of a second. */
const shortLimitMs = 10_000

type Clock = Pick<CallRow, 'elapsedMs' | 'updatedAt' | 'paused' | 'status'>

/** How long a call has been running. */
export function elapsedOf({ elapsedMs, updatedAt, paused, status }: Clock, now: number): number {
  const isTicking = status === 'executing' && !paused
  return Math.max(0, elapsedMs + (isTicking ? Math.max(0, now - updatedAt) : 0))
}

/** `12 s`, in whole seconds, because a row is drawn again once per second. */
export function runningTime(elapsedMs: number, limitMs: number | null): string {
  if (limitMs !== null && limitMs < shortLimitMs)
    return formatDuration(Math.max(100, floorTo(elapsedMs, 100)))
  return elapsedMs < 1_000 ? '0 s' : formatDuration(floorTo(elapsedMs, 1_000))
}

/** `12s`, `2m`, `1h5m`: for narrow terminals. */
export function shortTime(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return join(Math.floor(seconds / 60), 'm', seconds % 60, 's')
  return join(Math.floor(seconds / 3_600), 'h', Math.floor(seconds / 60) % 60, 'm')
}

function join(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return `${large}${largeUnit}${small === 0 ? '' : `${small}${smallUnit}`}`
}

function floorTo(ms: number, step: number): number {
  return Math.floor(ms / step) * step
}
