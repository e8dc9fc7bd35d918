import { CurfewError } from '../errors/curfew-error.ts'

/** Milliseconds, or a number with its unit: `"250ms"`, `"90s"`, `"5m"`, `"2h"`, `"1d"`. */
export type Duration = number | `${number}${DurationUnit}`
type DurationUnit = 'ms' | 's' | 'm' | 'h' | 'd'

/** The longest delay that a timer can hold, about 24.8 days. A longer one would fire at once. */
export const maxTimerMs: number = 2 ** 31 - 1

const unitMs: Record<DurationUnit, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const pattern = /^\s*(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|m|h|d)\s*$/

/** Returns milliseconds, or throws `INVALID_DURATION` with a message that names the field. */
export function parseDuration(value: unknown, field: string): number {
  const read = readDuration(value)
  if ('ms' in read) return read.ms
  throw new CurfewError('INVALID_DURATION', `${field}: ${read.problem}`, { field })
}

/** For whoever names the field otherwise: milliseconds, or what is wrong. */
export function readDuration(value: unknown): { readonly ms: number } | { readonly problem: string } {
  const ms = typeof value === 'string' ? parseText(value) : value
  if (typeof ms !== 'number')
    return invalid(value, 'write milliseconds, or a number with a unit such as "90s" or "5m"')
  if (Number.isNaN(ms)) return invalid(value, 'it is not a number')
  if (ms <= 0) return invalid(value, 'it must be more than zero')
  if (ms > maxTimerMs) return invalid(value, `the most is ${maxTimerMs} ms (about 24.8 days)`)
  return { ms }
}

function parseText(text: string): number | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  return Number(match[1]) * unitMs[match[2] as DurationUnit]
}

function invalid(value: unknown, hint: string): { readonly problem: string } {
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return { problem: `${shown} is not a usable duration; ${hint}` }
}
