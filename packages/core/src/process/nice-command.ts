import { getPriority } from 'node:os'

/**
 * What to run to give a command its priority from its first instant: set afterwards, what it has started by then would
 * keep the old one. Windows has no `nice`; there it runs with the priority it has.
 */
export function withNice(argv: readonly [string, ...string[]], nice: number): readonly [string, ...string[]] {
  if (process.platform === 'win32') return argv
  return ['nice', '-n', String(nice - getPriority()), ...argv]
}
