import { parseDuration } from '@curfew/core'
import { UsageError } from './command.ts'

/** Seconds, as on every command line, or a number with a unit (`250ms`, `5s`, `2m`); returned in milliseconds. */
export function parseDurationOption(text: string, option: string): number {
  try {
    return parseDuration(/^[\d.]+$/.test(text) ? `${text}s` : text, option)
  } catch {
    throw new UsageError(
      `curfew: ${option} ${JSON.stringify(text)} is not a duration; write seconds, or a number with a unit such as 250ms, 5s, 2m`,
    )
  }
}
