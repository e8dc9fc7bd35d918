import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg, release, totalmem } from 'node:os'

export interface Machine {
  readonly system: string
  readonly kernel: string
  readonly node: string
  readonly cores: number
  readonly memoryGb: number
  /** The load of the last minute. */
  readonly load: number
  /** Whether cgroups of version 2 are mounted, which some products use. */
  readonly cgroup2: boolean
  readonly root: boolean
}

export function describeMachine(): Machine {
  return {
    system: systemName(),
    kernel: release(),
    node: process.version,
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    load: Math.round(loadavg()[0]! * 10) / 10,
    cgroup2: readFileSync('/proc/mounts', 'utf8').includes(' cgroup2 '),
    root: process.getuid?.() === 0,
  }
}

function systemName(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'Linux'
  } catch {
    return 'Linux'
  }
}
