import type { LoggingLevel } from '@modelcontextprotocol/server'

const levels: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** A client of 2025 that set no level hears of everything; one of 2026 of nothing. */
export function passesLevel(
  level: LoggingLevel,
  wanted: LoggingLevel | undefined,
  era: 'legacy' | 'modern',
): boolean {
  if (wanted === undefined) return era === 'legacy'
  return levels.indexOf(level) >= levels.indexOf(wanted)
}

/** The one that lets the most through. */
export function lowestLevel(wanted: Iterable<LoggingLevel>): LoggingLevel | undefined {
  return [...wanted].sort((a, b) => levels.indexOf(a) - levels.indexOf(b))[0]
}
