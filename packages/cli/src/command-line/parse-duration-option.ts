import { parseDuration } from '@curfew/core'

/** Parses a duration to milliseconds; a bare number is seconds, as everywhere on the command line. `null` if it is invalid. */
export function parseDurationOption(value: string): number | null {
  try {
    return parseDuration(/^[\d.]+$/.test(value) ? `${value}s` : value, 'duration')
  } catch {
    return null
  }
}
