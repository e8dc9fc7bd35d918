import { type ChildProcess, spawn } from 'node:child_process'
import { isMutant } from './mutation.ts'

/** The first process of a namespace gets no signals of the others, so it is a shell that waits for the program. */
const init = ['sh', '-c', '"$@"; exit $?', 'sh']

/** Starts a program in a namespace: when it or this process ends, the kernel ends everything in it. */
export function startContained(
  command: string,
  args: readonly string[],
  stdin: 'ignore' | 'pipe',
): ChildProcess {
  const user = process.getuid!() === 0 ? [] : ['--user', '--map-root-user']
  const unshare = ['unshare', ...user, '--pid', '--fork', '--kill-child', '--', ...init, command, ...args]
  const whole = isUncontained(stdin)
    ? [command, ...args]
    : isMutant('no-death-signal')
      ? unshare
      : ['setpriv', '--pdeathsig', 'KILL', ...unshare]
  const child = spawn(whole[0]!, whole.slice(1), {
    stdio: [isMutant('commands-wait-for-input') ? 'pipe' : stdin, 'pipe', 'pipe'],
    detached: isMutant('kills-the-group'),
  })
  // A program that cannot be started has ended.
  child.on('error', () => child.emit('exit', 127, null))
  return child
}

export function kill(child: ChildProcess): void {
  if (isMutant('does-not-kill')) return
  if (isMutant('kills-the-group')) {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {}
    return
  }
  child.kill(isMutant('only-sigterm') ? 'SIGTERM' : 'SIGKILL')
}

function isUncontained(stdin: 'ignore' | 'pipe'): boolean {
  if (isMutant('servers-uncontained', 'servers-in-background', 'asks-servers-to-end')) return stdin === 'pipe'
  return isMutant(
    'kills-only-the-child',
    'kills-the-group',
    'does-not-kill',
    'only-sigterm',
    'end-of-output-is-the-end',
    'waits-for-pipes',
  )
}
