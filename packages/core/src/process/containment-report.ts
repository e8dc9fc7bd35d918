import { spawnSync } from 'node:child_process'
import { cgroupHome, ownCgroup } from './cgroup-home.ts'
import type { ContainmentKind } from './containment.ts'
import { namespaceCommand } from './namespace.ts'
import { hasProc, seesAllProcesses } from './proc-table.ts'

export interface ContainmentFinding {
  readonly kind: Exclude<ContainmentKind, 'group'>
  readonly available: boolean
  /** Where it is available; otherwise why not, and how to enable it. */
  readonly detail: string
}

/** Tests which containments this machine supports, strongest first. */
export function containmentReport(): ContainmentFinding[] {
  return [cgroupFinding(), namespaceFinding(), markersFinding()]
}

function cgroupFinding(): ContainmentFinding {
  const kind = 'cgroup'
  const home = cgroupHome()
  if (home !== null)
    return { kind, available: true, detail: `each command gets its own cgroup under ${home.own}` }
  const own = ownCgroup()
  const detail =
    own === null
      ? 'no cgroup v2; requires Linux 5.14 or newer with cgroup2 mounted'
      : `no permission to create a cgroup under ${own}; in a login, run "loginctl enable-linger", so that your systemd creates one; otherwise, run with "systemd-run --user --scope -p Delegate=yes", or as root`
  return { kind, available: false, detail }
}

function namespaceFinding(): ContainmentFinding {
  const kind = 'namespace'
  const [command, ...args] = namespaceCommand(['true'])
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 5_000 })
  if (status === 0) return { kind, available: true, detail: "used on request (containment: 'namespace')" }
  const reason = error?.message ?? stderr.trim().split('\n')[0]
  return {
    kind,
    available: false,
    detail: `unshare failed: ${reason}; requires util-linux, and user namespaces must be allowed`,
  }
}

function markersFinding(): ContainmentFinding {
  const available = hasProc()
  return { kind: 'markers', available, detail: available ? markersDetail() : withoutProc }
}

function markersDetail(): string {
  const detail =
    'group, session, descendants, environment and descriptor; used if there is no cgroup. A process that gives up all of these before it is seen can survive its command; a cgroup, the sandbox of the agent or a namespace prevents that'
  if (seesAllProcesses()) return detail
  return `${detail}; /proc hides the processes of other users (hidepid), so \`survivors\` is null`
}

const withoutProc =
  '/proc cannot be used: commands are contained by their process group, which is weaker, and on Linux `survivors` is null'
