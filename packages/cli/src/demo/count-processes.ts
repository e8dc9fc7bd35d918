import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** How many processes with this text among their arguments are alive: counted by looking, not by asking Curfew. */
export function countProcesses(text: string): number {
  if (existsSync('/proc/self/stat'))
    return readdirSync('/proc').filter((pid) => isAliveWith(pid, text)).length
  const { stdout } = spawnSync('ps', ['-axo', 'command'], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line.includes(text)).length
}

function isAliveWith(pid: string, text: string): boolean {
  if (!/^\d+$/.test(pid)) return false
  try {
    // A zombie has ended.
    if (/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))) return false
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text)
  } catch {
    return false
  }
}
