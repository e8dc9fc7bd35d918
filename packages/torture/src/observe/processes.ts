import { readdirSync, readFileSync } from 'node:fs'

/** A process, whose pid may belong to another one later. */
export interface Process {
  readonly pid: number
  readonly startTime: string
}

interface Stat extends Process {
  readonly state: string
  readonly parent: number
}

function readStat(pid: number): Stat | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { pid, state: fields[0]!, parent: Number(fields[1]), startTime: fields[19]! }
  } catch {
    return null
  }
}

/** Zombies have ended. */
export function isRunning({ pid, startTime }: Process): boolean {
  const stat = readStat(pid)
  return stat !== null && stat.startTime === startTime && !/[ZX]/.test(stat.state)
}

export function toProcess(pid: number): Process | null {
  return readStat(pid)
}

function allProcesses(): Stat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? [])
    .filter(({ state }) => !/[ZX]/.test(state))
}

/** The descendants of a process that still have their parents, and all processes whose environment has the marker. */
export function findMarked(root: number, marker: string): Process[] {
  const all = allProcesses()
  const family = new Set([root])
  for (let before = -1; before !== family.size; ) {
    before = family.size
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid)
  }
  return all.filter(({ pid }) => pid !== root && (family.has(pid) || hasMarker(pid, marker)))
}

/** The processes whose command line has the text. */
export function findByCommandLine(text: string): Process[] {
  return allProcesses().filter((one) => one.pid !== process.pid && commandLine(one).includes(text))
}

function hasMarker(pid: number, marker: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(marker)
  } catch {
    return false
  }
}

/** The command line of a process, for a report. */
export function commandLine({ pid }: Process): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim()
  } catch {
    return '(has ended)'
  }
}

/** The peak memory of a process, in MB. */
export function peakMegabytes(pid: number): number {
  try {
    const [, kB = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return Number(kB) / 1_024
  } catch {
    return 0
  }
}

export function end(processes: readonly Process[]): void {
  for (const one of processes) {
    if (!isRunning(one)) continue
    try {
      process.kill(one.pid, 'SIGKILL')
    } catch {}
  }
}
