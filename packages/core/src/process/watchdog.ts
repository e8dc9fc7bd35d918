import { type ChildProcess, spawn } from 'node:child_process'
import { cgroupHome } from './cgroup-home.ts'
import { runtimeDirectory } from './runtime-directory.ts'
import { runtimeMarker } from './runtime-marker.ts'

let watchdog: ChildProcess | null = null

/**
 * One small process that outlives this one. It reads from a pipe that only we hold open; when that ends, we are gone,
 * however it happened, and it takes along what we left running: the cgroup as a whole, and all that carry our marker.
 */
export function ensureWatchdog(): void {
  if (watchdog !== null || process.platform === 'win32') return
  const cgroup = cgroupHome()?.calls ?? null
  const marker = `${runtimeMarker.name}=${runtimeMarker.value}`
  watchdog = spawn('/bin/sh', ['-c', script, 'curfew-watchdog', cgroup ?? '', marker, runtimeDirectory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    cwd: '/',
  })
  // Without it commands still end with their calls; only a SIGKILL to us would leave them.
  watchdog.on('error', () => {})
  watchdog.stdin?.on('error', () => {})
  // It must not keep this process alive.
  watchdog.unref()
  const stdin = watchdog.stdin as (NodeJS.WritableStream & { unref?(): void }) | null
  stdin?.unref?.()
}

const script = `
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
trap '' HUP INT TERM
read -r _
if [ -n "$1" ]; then
  echo 1 > "$1/cgroup.kill"
  # Whoever fetches the dead may take a while, and until then a cgroup is busy.
  i=0; while [ $((i += 1)) -lt 50 ]; do
    for directory in "$1"/*/; do rmdir "$directory"; done
    rmdir "$1" && break
    sleep 0.1
  done
fi
for i in 1 2 3; do
  pids=$({ grep -lsF "$2" /proc/[0-9]*/environ; find /proc/[0-9]*/fd -lname "$3/*"; } | cut -d/ -f3)
  [ -z "$pids" ] && break
  kill -KILL $pids
done
rm -rf "$3"
`
