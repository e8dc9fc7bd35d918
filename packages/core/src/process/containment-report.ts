import { spawnSync } from 'node:child_process'
import { cgroupHome, ownCgroup } from './cgroup-home.ts'
import type { ContainmentKind } from './containment.ts'
import { inNamespace } from './namespace.ts'
import { hasProc, seesAllProcesses } from './proc-table.ts'

export interface ContainmentFinding {
  readonly kind: Exclude<ContainmentKind, 'group'>
  readonly available: boolean
  /** Where, or why not and how to get it. */
  readonly detail: string
}

/** What this machine allows, strongest first. Really tries it. */
export function containmentReport(): ContainmentFinding[] {
  return [cgroupFinding(), namespaceFinding(), markersFinding()]
}

function cgroupFinding(): ContainmentFinding {
  const kind = 'cgroup'
  const home = cgroupHome()
  if (home !== null)
    return { kind, available: true, detail: `commands get a cgroup of their own under ${home.own}` }
  const own = ownCgroup()
  const detail =
    own === null
      ? 'there is no cgroup v2 here; Linux 5.14 or newer with cgroup2 mounted has it'
      : `no cgroup may be made under ${own}; run under "systemd-run --user --scope -p Delegate=yes", or as root`
  return { kind, available: false, detail }
}

function namespaceFinding(): ContainmentFinding {
  const kind = 'namespace'
  const [command, ...args] = inNamespace(['true'])
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 5_000 })
  if (status === 0) return { kind, available: true, detail: 'for those who ask for it' }
  const why = error?.message ?? stderr.trim().split('\n')[0]
  return {
    kind,
    available: false,
    detail: `unshare failed: ${why}; it comes with util-linux, and user namespaces must be allowed`,
  }
}

function markersFinding(): ContainmentFinding {
  const available = hasProc()
  return { kind: 'markers', available, detail: available ? markersDetail() : withoutProc }
}

function markersDetail(): string {
  const detail = 'group, session, descendants, environment and descriptor; used where there is no cgroup'
  if (seesAllProcesses()) return detail
  return `${detail}; /proc hides the processes of other users (hidepid), so \`survivors\` is null`
}

const withoutProc =
  'there is no /proc here that can be used: commands are held by their process group, which is weaker, and on Linux `survivors` is null'
