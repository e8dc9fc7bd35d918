import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ownCgroup } from './cgroup-home.ts'
import { ownProgram } from './own-program.ts'

const requestMs = 500
/** The answer may come before the move. */
const moveMs = [1, 5, 20, 50]
const manager = 'org.freedesktop.systemd1'

/**
 * In a login (on a console, or through SSH), whose cgroup belongs to root: asks the user's systemd to move this process to a
 * cgroup in which it can create others. Call it before the first command; without it, or if it takes too long, markers are
 * used. Services and other scopes are not left: they may have limits, and those of the user's systemd allow cgroups anyway.
 */
export async function moveToUserScope(): Promise<void> {
  try {
    const before = ownCgroup()
    if (before === null || !/^session-.*\.scope$/.test(basename(before)) || !outlivesLogins()) return
    const name = `curfew-${process.pid}-${Math.floor(performance.timeOrigin)}.scope`
    const method = [manager, `/${manager.replaceAll('.', '/')}`, `${manager}.Manager`, 'StartTransientUnit']
    const properties = ['2', 'PIDs', 'au', '1', String(process.pid), 'Delegate', 'b', 'true', '0']
    const args = ['--user', 'call', ...method, 'ssa(sv)a(sa(sv))', name, 'fail', ...properties]
    await promisify(execFile)(ownProgram('busctl'), args, { timeout: requestMs })
    for (const ms of moveMs) if (ownCgroup() === before) await sleep(ms)
  } catch {
    // There is no user manager, or it does not answer.
  }
}

/** Without lingering, the user's systemd ends with the last login, and everything in it, even what `nohup` or tmux started. */
function outlivesLogins(): boolean {
  const { XDG_RUNTIME_DIR: folder = '' } = process.env
  if (!existsSync(join(folder, 'systemd', 'private'))) return false
  return existsSync(join('/var/lib/systemd/linger', userInfo().username))
}
