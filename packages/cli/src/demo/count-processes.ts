import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { ownProgram } from '@curfew/core/internal'

/** Counts live processes whose arguments include this string, independently of Curfew's own bookkeeping. */
export function countProcesses(argument: string): number {
  if (existsSync('/proc/self/stat'))
    return readdirSync('/proc').filter((pid) => isAliveWith(pid, argument)).length
  const { stdout } = spawnSync(ownProgram('ps'), ['-axo', 'command'], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line.includes(argument)).length
}

function isAliveWith(pid: string, argument: string): boolean {
  if (!/^\d+$/.test(pid)) return false
  try {
    // A zombie has ended.
    if (/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))) return false
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(argument)
  } catch {
    return false
  }
}
