import { getPriority } from 'node:os'

/**
 * The command line that runs a command with a priority from the start: set later, children started before that would keep
 * the old priority. Windows has no `nice`, so the priority stays unchanged there.
 */
export function niceCommand(
  argv: readonly [string, ...string[]],
  nice: number,
): readonly [string, ...string[]] {
  if (process.platform === 'win32') return argv
  return ['nice', '-n', String(nice - getPriority()), ...argv]
}
