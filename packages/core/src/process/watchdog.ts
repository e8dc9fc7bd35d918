import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cgroupHome, watchdogName } from './cgroup-home.ts'
import { farewellEnvironment, farewellScript } from './farewell.ts'
import { hasProc } from './proc-table.ts'
import { runtimeDirectory } from './runtime-directory.ts'
import { runtimeMarker } from './runtime-marker.ts'

/** Something may keep ending it; another is started so often at most. */
const minLifeMs = 1_000

let watchdog: ChildProcess | null = null
let watched = 0
let endsWithUs = false

/**
 * One small process that outlives this one. It reads from a pipe that only we hold open; when that ends, we are gone,
 * however it happened, and it takes along what we left running: the cgroup as a whole, and all that carry our marker.
 * If it is killed, another takes its place.
 * To be called before a command is started; what it returns, once nothing of it is left.
 */
export function watchOver(): () => void {
  watched++
  // It finds what it has to end through /proc.
  if (watchdog === null && hasProc()) startWatchdog()
  return () => {
    watched--
  }
}

function startWatchdog(): void {
  const cgroup = cgroupHome()?.calls ?? null
  const marker = `${runtimeMarker.name}=${runtimeMarker.value}`
  const started = performance.now()
  watchdog = spawn('/bin/sh', ['-c', script, watchdogName, cgroup ?? '', marker, runtimeDirectory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: farewellEnvironment(),
    cwd: '/',
  })
  // Without it commands still end with their calls; only a SIGKILL to us would leave them.
  watchdog.on('error', () => {})
  watchdog.stdin?.on('error', () => {})
  // One that cannot be run at all ends by itself, and stays.
  watchdog.once('exit', (_code, signal) => {
    if (signal !== null) replaceWatchdog(performance.now() - started)
  })
  endWithUs(cgroup)
  // It must not keep this process alive.
  watchdog.unref()
  const stdin = watchdog.stdin as (NodeJS.WritableStream & { unref?(): void }) | null
  stdin?.unref?.()
}

function replaceWatchdog(livedMs: number): void {
  watchdog = null
  const start = (): void => {
    if (watchdog === null && watched > 0) startWatchdog()
  }
  if (watched > 0) setTimeout(start, Math.max(0, minLifeMs - livedMs)).unref()
}

/** With nothing left to do it need not look through all processes first. */
function endWithUs(cgroup: string | null): void {
  if (endsWithUs) return
  endsWithUs = true
  process.once('exit', () => {
    if (watched === 0 && (cgroup === null || !existsSync(cgroup))) watchdog?.kill('SIGKILL')
  })
}

const script = `
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
trap '' HUP INT QUIT TERM USR1 USR2 ALRM VTALRM
cgroup=$1 marker=$2 folder=$3
read -r _
members() {
  { grep -lsF "$marker" /proc/[0-9]*/environ; find /proc/[0-9]*/fd -lname "$folder/held/*"; } | cut -d/ -f3
  [ -n "$cgroup" ] && find "$cgroup" -name cgroup.procs -exec cat {} +
}
${farewellScript}
[ -n "$cgroup" ] && echo 1 > "$cgroup/cgroup.kill"
for i in 1 2 3; do
  pids=$(members)
  [ -z "$pids" ] && break
  kill -KILL $pids
done
rm -rf "$folder"
# Whoever fetches the dead may take a while, and until then a cgroup is busy.
i=0; while [ -d "$cgroup" ] && [ $((i += 1)) -lt 50 ]; do
  find "$cgroup" -depth -type d -exec rmdir {} +
  [ -d "$cgroup" ] && sleep 0.1
done
`
