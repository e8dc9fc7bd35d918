import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { cgroupHome } from './cgroup-home.ts'
import { runtimeDirectory } from './runtime-directory.ts'
import { runtimeMarker } from './runtime-marker.ts'

/** What the commands of a killed process are sent before SIGKILL, and how long they get to end. */
export interface Farewell {
  readonly signal: number
  readonly killAfterMs: number
}

let watchdog: ChildProcess | null = null
let watched = 0

/**
 * One small process that outlives this one. It reads from a pipe that only we hold open; when that ends, we are gone,
 * however it happened, and it takes along what we left running: the cgroup as a whole, and all that carry our marker.
 * To be called before a command is started; what it returns, once nothing of it is left.
 */
export function watchOver(farewell: Farewell | null = null): () => void {
  watched++
  if (watchdog === null && process.platform === 'linux') startWatchdog(farewell)
  return () => {
    watched--
  }
}

function startWatchdog(farewell: Farewell | null): void {
  const cgroup = cgroupHome()?.calls ?? null
  const marker = `${runtimeMarker.name}=${runtimeMarker.value}`
  const args = [cgroup ?? '', marker, runtimeDirectory, ...farewellArgs(farewell)]
  watchdog = spawn('/bin/sh', ['-c', script, 'curfew-watchdog', ...args], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    cwd: '/',
  })
  // Without it commands still end with their calls; only a SIGKILL to us would leave them.
  watchdog.on('error', () => {})
  watchdog.stdin?.on('error', () => {})
  // With nothing left to do it need not look through all processes first.
  process.once('exit', () => {
    if (watched === 0 && (cgroup === null || !existsSync(cgroup))) watchdog?.kill('SIGKILL')
  })
  // It must not keep this process alive.
  watchdog.unref()
  const stdin = watchdog.stdin as (NodeJS.WritableStream & { unref?(): void }) | null
  stdin?.unref?.()
}

/** The signal, if there is one to send, and how many tenths of a second to wait. */
function farewellArgs(farewell: Farewell | null): string[] {
  if (farewell === null || farewell.signal === 0 || farewell.signal === constants.signals.SIGKILL) return []
  return [String(farewell.signal), String(Math.ceil(farewell.killAfterMs / 100))]
}

const script = `
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
trap '' HUP INT QUIT TERM USR1 USR2 ALRM VTALRM
marked() { { grep -lsF "$1" /proc/[0-9]*/environ; find /proc/[0-9]*/fd -lname "$2/*"; } | cut -d/ -f3; }
read -r _
if [ -n "$4" ]; then
  all() { { marked "$2" "$3"; [ -n "$1" ] && cat "$1"/*/cgroup.procs; } | sort -u; }
  pids=$(all "$@")
  kill "-$4" $pids; kill -CONT $pids
  i=0; while [ $((i += 1)) -le "$5" ] && [ -n "$(all "$@")" ]; do sleep 0.1; done
fi
[ -n "$1" ] && echo 1 > "$1/cgroup.kill"
for i in 1 2 3; do
  pids=$(marked "$2" "$3")
  [ -z "$pids" ] && break
  kill -KILL $pids
done
rm -rf "$3"
# Whoever fetches the dead may take a while, and until then a cgroup is busy.
i=0; while [ -d "$1" ] && [ $((i += 1)) -lt 50 ]; do
  rmdir "$1"/*/ "$1"
  [ -d "$1" ] && sleep 0.1
done
`
