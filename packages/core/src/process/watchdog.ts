import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cgroupHome, watchdogName } from './cgroup-home.ts'
import { hasProc } from './proc-table.ts'
import { runtimeDirectory } from './runtime-directory.ts'
import { runtimeMarker } from './runtime-marker.ts'
import { shutdownSignalEnvironment, shutdownSignalScript } from './shutdown-signal.ts'

/** Limits restarts if something keeps killing the watchdog. */
const minRestartIntervalMs = 1_000

let watchdog: ChildProcess | null = null
let watched = 0
let hasExitListener = false

/**
 * Starts one small process that outlives this one. It reads from a pipe that only this process keeps open; when the pipe
 * closes, this process has ended, and the watchdog kills the whole cgroup and all processes with our marker. If the
 * watchdog is killed, it is replaced.
 *
 * Call it before starting a command, and call the returned function once all of the command's processes have ended.
 */
export function startWatching(): () => void {
  watched++
  // The watchdog finds processes through /proc.
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
    env: shutdownSignalEnvironment(),
    cwd: '/',
  })
  // Without a watchdog, commands outlive this process only if it gets SIGKILL.
  watchdog.on('error', () => {})
  watchdog.stdin?.on('error', () => {})
  // A watchdog that cannot run exits without a signal and is not replaced.
  watchdog.once('exit', (_code, signal) => {
    if (signal !== null) replaceWatchdog(performance.now() - started)
  })
  killOnExit(cgroup)
  // The watchdog must not keep this process alive.
  watchdog.unref()
  const stdin = watchdog.stdin as (NodeJS.WritableStream & { unref?(): void }) | null
  stdin?.unref?.()
}

function replaceWatchdog(livedMs: number): void {
  watchdog = null
  const start = (): void => {
    if (watchdog === null && watched > 0) startWatchdog()
  }
  if (watched > 0) setTimeout(start, Math.max(0, minRestartIntervalMs - livedMs)).unref()
}

/** With nothing left to kill, the watchdog is ended before it scans all processes. */
function killOnExit(cgroup: string | null): void {
  if (hasExitListener) return
  hasExitListener = true
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
  { grep -lsF "$marker" /proc/[0-9]*/environ; find /proc/[0-9]*/fd -lname "$folder/commands/*"; } | cut -d/ -f3
  [ -n "$cgroup" ] && find "$cgroup" -name cgroup.procs -exec cat {} +
}
${shutdownSignalScript}
[ -n "$cgroup" ] && echo 1 > "$cgroup/cgroup.kill"
for i in 1 2 3; do
  pids=$(members)
  [ -z "$pids" ] && break
  kill -KILL $pids
done
rm -rf "$folder"
# A cgroup stays busy until its zombies have been reaped.
i=0; while [ -d "$cgroup" ] && [ $((i += 1)) -lt 50 ]; do
  find "$cgroup" -depth -type d -exec rmdir {} +
  [ -d "$cgroup" ] && sleep 0.1
done
`
