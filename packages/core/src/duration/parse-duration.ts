import { fieldError } from '../errors/field-error.ts'

/** Milliseconds, or a number with its unit: `"250ms"`, `"90s"`, `"5m"`, `"2h"`, `"1d"`. */
export type Duration = number | `${number}${DurationUnit}`
type DurationUnit = 'ms' | 's' | 'm' | 'h' | 'd'

/** The longest delay of a timer, about 24.8 days. A longer one would fire immediately. */
export const maxTimerMs: number = 2 ** 31 - 1

const unitMs: Record<DurationUnit, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const pattern = /^\s*(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|m|h|d)\s*$/

/** Returns milliseconds, or throws `INVALID_DURATION` with a message that names the field. */
export function parseDuration(value: unknown, field: string): number {
  const read = readDuration(value)
  if ('ms' in read) return read.ms
  throw fieldError('INVALID_DURATION', field, read.problem)
}

/** Returns milliseconds, or the problem for callers that name the field themselves. */
export function readDuration(value: unknown): { readonly ms: number } | { readonly problem: string } {
  const ms = typeof value === 'string' ? parseString(value) : value
  if (typeof ms !== 'number' || Number.isNaN(ms))
    return invalid(value, 'a duration such as 5000 (milliseconds), "90s" or "5m"')
  if (ms <= 0) return invalid(value, 'a duration greater than zero')
  if (ms > maxTimerMs) return invalid(value, `at most ${maxTimerMs} ms (about 24.8 days)`)
  return { ms }
}

function parseString(text: string): number | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  return Number(match[1]) * unitMs[match[2] as DurationUnit]
}

function invalid(value: unknown, expected: string): { readonly problem: string } {
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return { problem: `expected ${expected}, got ${shown}` }
}
