import { parseDuration } from '@curfew/core'

/** Milliseconds; a bare number is seconds, as everywhere on the command line. `null` if it is not a duration. */
export function parseDurationOption(value: string): number | null {
  try {
    return parseDuration(/^[\d.]+$/.test(value) ? `${value}s` : value, 'duration')
  } catch {
    return null
  }
}
