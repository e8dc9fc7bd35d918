import type { LoggingLevel } from '@modelcontextprotocol/server'
import type { Upstream } from '../client/upstream.ts'

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
/** A level cannot be unset on a running server; this is what most servers send by default. */
const defaultLevel: LoggingLevel = 'info'

/** Without a level, a 2025 client gets every message and a 2026 client gets none. */
export function passesLevel(
  level: LoggingLevel,
  wanted: LoggingLevel | undefined,
  era: 'legacy' | 'modern',
): boolean {
  if (wanted === undefined) return era === 'legacy'
  return levels.indexOf(level) >= levels.indexOf(wanted)
}

/** The log level of all servers: the lowest that any client has set. */
export class ServerLogLevel {
  #wasSet = false
  #level: LoggingLevel | undefined

  get current(): LoggingLevel | undefined {
    return this.#level
  }

  sync(wanted: readonly (LoggingLevel | undefined)[], servers: readonly Upstream[]): void {
    const set = wanted.filter((level) => level !== undefined)
    if (set.length > 0) this.#wasSet = true
    const [lowest] = set.sort((a, b) => levels.indexOf(a) - levels.indexOf(b))
    this.#level = lowest ?? (this.#wasSet ? defaultLevel : undefined)
    for (const server of servers) void server.setLogLevel(this.#level)
  }
}
