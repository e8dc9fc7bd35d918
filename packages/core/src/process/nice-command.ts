import { getPriority } from 'node:os'
import { ownProgram } from './own-program.ts'

/**
 * The command line that runs a command with a priority. Set after the start, it would not apply to children that already
 * exist. Windows has no `nice`, so the priority stays unchanged there.
 */
export function niceCommand(
  argv: readonly [string, ...string[]],
  nice: number,
): readonly [string, ...string[]] {
  if (process.platform === 'win32') return argv
  return [ownProgram('nice'), '-n', String(nice - getPriority()), ...argv]
}
