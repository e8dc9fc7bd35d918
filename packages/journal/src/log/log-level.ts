export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** What a line contains besides its message. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

export function isAtLeast(level: LogLevel, minLevel: LogLevel): boolean {
  return levels.indexOf(level) >= levels.indexOf(minLevel)
}
