import { getPriority } from 'node:os'

/**
 * What to run to give a command its priority from its first instant: set afterwards, what it has started by then would
 * keep the old one.
 */
export function withNice(argv: readonly [string, ...string[]], nice: number): [string, ...string[]] {
  return ['nice', '-n', String(nice - getPriority()), ...argv]
}
