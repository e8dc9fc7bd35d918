import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cgroupHome, watchdogName } from './cgroup-home.ts'
import { hasProc, isStopped, readProcEntry } from './proc-table.ts'
import { runtimeDirectory } from './runtime-directory.ts'
import { nestedMarker, runtimeId } from './runtime-marker.ts'
import { shutdownSignalEnvironment, shutdownSignalScript } from './shutdown-signal.ts'

/** Limits restarts if something keeps killing the watchdog. */
const minRestartIntervalMs = 1_000

let watchdog: ChildProcess | null = null
let watched = 0
let hasExitListener = false
/** The first process of each command, and its start time. */
const roots = new Map<number, number>()

/**
 * Starts one small process that outlives this one. It reads the commands from a pipe that only this process keeps open; when
 * the pipe closes, this process has ended, and the watchdog kills the whole cgroup, the sessions and descendants of the
 * commands and all processes with our marker. If the watchdog is killed, it is replaced.
 *
 * Call it before starting a command.
 */
export function startWatching(): void {
  watched++
  // The watchdog finds processes through /proc.
  if (watchdog === null && hasProc()) startWatchdog()
}

/** Call it as soon as the command has been started. */
export function watchCommand(root: number): void {
  roots.set(root, readProcEntry(root)?.startTime ?? 0)
  tell('+', root)
}

/** Call it once all of the command's processes have ended; `undefined` if it was never started. */
export function stopWatching(root: number | undefined): void {
  watched--
  if (root === undefined) return
  tell('-', root)
  roots.delete(root)
}

function tell(change: '+' | '-', root: number): void {
  const { stdin } = watchdog ?? {}
  if (!stdin?.writable) return
  stdin.write(`${change} ${root}:${roots.get(root)}\n`)
  // One that has been stopped does not read; it is replaced.
  if (isStopped(watchdog!.pid!)) watchdog!.kill('SIGKILL')
}

function startWatchdog(): void {
  const cgroup = cgroupHome()?.calls ?? null
  const started = performance.now()
  const session = String(readProcEntry(process.pid)?.session ?? 0)
  const args = [cgroup ?? '', `${runtimeId}-`, runtimeDirectory, session, nestedMarker]
  watchdog = spawn('/bin/sh', ['-c', script, watchdogName, ...args], {
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
  for (const root of roots.keys()) tell('+', root)
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

/**
 * Prints the pids of everything that belongs to the commands: their sessions, the processes in its argument, and the
 * descendants and sessions of all of these; and their groups, as negative numbers, because a group cannot start a process
 * while it is killed. A command whose pid now has another start time has ended. A session is the commands' own if one of
 * them created it: its leader is theirs or has ended. What is older than the oldest command (without one: than the runtime)
 * belongs to the user, and so does its session, also if a daemon passes on a marker or a descriptor. A zombie with threads
 * has not ended. The name in a `stat` file may contain anything.
 */
const findRelated = `
related() {
  roots="$roots" marked="$1" foreign="$session" started="$started" awk 'BEGIN {
    for (i = 1; i < ARGC; i++) {
      file = ARGV[i] "/stat"; text = ""
      while ((getline line < file) > 0) text = text " " line
      close(file)
      sub(/.*[)] /, "", text)
      if (split(text, field, " ") < 20 || (field[1] ~ /[ZX]/ && field[18] < 2)) continue
      pid = substr(ARGV[i], 7)
      parent[pid] = field[2]; group[pid] = field[3]; session[pid] = field[4]; start[pid] = field[20]
    }
    for (i = roots = split(ENVIRON["roots"], list, " "); i > 0; i--) {
      split(list[i], root, ":")
      if (!(root[1] in start)) own[root[1]]
      else if (start[root[1]] == root[2]) ours[root[1]]
    }
    since = roots ? root[2] : ENVIRON["started"]
    users[0]; users[ENVIRON["foreign"]]
    for (pid in start) if (start[pid] < since) users[session[pid]]
    for (i = split(ENVIRON["marked"], list, " "); i > 0; i--)
      if (list[i] in start && start[list[i]] >= since) ours[list[i]]
    do {
      found = 0
      for (pid in start) {
        s = session[pid]
        if (pid in ours && !(s in users) && (s in ours || !(s in start)) && !(s in own)) found = own[s] = 1
        if (!(pid in ours) && (parent[pid] in ours || s in own)) { found = 1; ours[pid] }
      }
    } while (found)
    for (pid in ours) { print pid; if (session[pid] in own) groups[group[pid]] }
    for (pid in groups) print -pid
  }' /proc/[0-9]*
}
`

const script = `
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C
export LC_ALL
trap '' HUP INT QUIT TERM USR1 USR2 ALRM VTALRM
cgroup=$1 marker=$2 folder=$3 session=$4 nested=$5
started=\${marker#*-} started=\${started%%-*}
roots=' '
while read -r change root; do
  case $change$roots in
    +*) roots="$roots$root " ;;
    *" $root "*) roots="\${roots%%" $root "*} \${roots#*" $root "}" ;;
  esac
done
${findRelated}
# Of a process whose first thread has ended, only the other threads have environment and descriptors.
paths() {
  echo "/proc/[0-9]*/$1"
  grep -lszE 'State:.[ZX][^@]*Threads:.([2-9]|[1-9][0-9])' /proc/[0-9]*/status | sed "s|status|task/*/$1|"
}
members() {
  related "$(
    { grep -lsF "$marker" $(paths environ); find $(paths fd) -lname "$folder/commands/*"; } | cut -d/ -f3
    [ -n "$cgroup" ] &&
      grep -hs ^Tgid /dev/null $(find "$cgroup" -name cgroup.threads -exec sed 's|.*|/proc/&/status|' {} +) | cut -f2
  )"
}
uptime() { read -r up _ < /proc/uptime; echo "\${up%.*}\${up#*.}"; }
${shutdownSignalScript}
[ -n "$cgroup" ] && echo 1 > "$cgroup/cgroup.kill"
# Known sessions end first, because that is fast. A process that was started between the two is still a child of a stopped one.
kill -s STOP -- $(related)
kill -s KILL -- $(related)
end=$(($(uptime) + 1000))
while pids=$(members); [ -n "$pids" ] && [ "$(uptime)" -lt "$end" ]; do
  kill -s KILL -- $pids
done
rm -rf "$folder"
# A cgroup stays busy until its zombies have been reaped.
i=0; while [ -d "$cgroup" ] && [ $((i += 1)) -lt 50 ]; do
  find "$cgroup" -depth -type d -exec rmdir {} +
  [ -d "$cgroup" ] && sleep 0.1
done
`
