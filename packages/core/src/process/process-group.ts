import { type ChildProcess, type SpawnOptions, spawnSync } from 'node:child_process'
import { type Containment, sendSignal } from './containment.ts'
import { ownProgram } from './own-program.ts'
import { exists } from './proc-table.ts'

/**
 * For systems where /proc cannot be used. On macOS: the process group and all descendants that `ps` shows; on Windows: what
 * `taskkill` finds. A daemon that was never seen as a child escapes, and so does everything if the runtime is killed;
 * untested on both systems. On Linux, `ps` needs /proc too, so only the group is signalled.
 */
export function createProcessGroup(platform: NodeJS.Platform = process.platform): Containment {
  if (platform === 'win32') return new WindowsTree()
  return platform === 'linux' ? new GroupOnly() : new ProcessGroup()
}

/** Processes that left the group are not seen, so survivors are unknown. */
class GroupOnly implements Containment {
  readonly kind = 'group'
  readonly seesAllMembers = false
  #child: ChildProcess | null = null

  spawn(start: (options: SpawnOptions) => ChildProcess, options: SpawnOptions): ChildProcess {
    this.#child = start(options)
    return this.#child
  }

  /** The first process represents the whole group. */
  members(): number[] {
    const { pid } = this.#child ?? {}
    return pid !== undefined && (exists(-pid) || isRunning(this.#child!)) ? [pid] : []
  }

  signal(signal: NodeJS.Signals | number): void {
    const [pid] = this.members()
    if (pid === undefined) return
    // A foreground command is in our group.
    if (exists(-pid)) sendSignal(-pid, signal)
    else sendSignal(pid, signal)
  }

  kill(): void {
    this.signal('SIGKILL')
  }

  dispose(): void {}
}

export function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null
}

class ProcessGroup implements Containment {
  readonly kind = 'group'
  seesAllMembers = true
  readonly #known = new Set<number>()
  #root = 0

  spawn(start: (options: SpawnOptions) => ChildProcess, options: SpawnOptions): ChildProcess {
    const child = start(options)
    this.#root = child.pid ?? 0
    return child
  }

  members(): number[] {
    if (this.#root === 0) return []
    const { stdout, status } = spawnSync(ownProgram('ps'), ['-axo', 'pid=,ppid=,pgid=,stat='], {
      encoding: 'utf8',
    })
    this.seesAllMembers = status === 0
    const alive = new Set<number>()
    // A parent is usually listed before its children; the next scan finds the others.
    for (const line of (stdout ?? '').split('\n')) {
      const [pid, parent, group, state] = line.trim().split(/\s+/)
      if (pid === undefined || state?.startsWith('Z') !== false) continue
      const ours = this.#root === Number(group) || this.#known.has(Number(parent))
      if (ours || Number(pid) === this.#root) this.#known.add(Number(pid))
      alive.add(Number(pid))
    }
    for (const pid of this.#known) if (!alive.has(pid)) this.#known.delete(pid)
    return [...this.#known]
  }

  signal(signal: NodeJS.Signals | number): void {
    for (const pid of this.members()) sendSignal(pid, signal)
  }

  kill(): void {
    this.signal('SIGKILL')
  }

  dispose(): void {}
}

/** Windows has no signals: a process is ended immediately, with all its descendants. */
class WindowsTree implements Containment {
  readonly kind = 'group'
  readonly seesAllMembers = true
  #child: ChildProcess | null = null

  spawn(start: (options: SpawnOptions) => ChildProcess, options: SpawnOptions): ChildProcess {
    this.#child = start({ ...options, detached: false, windowsHide: true })
    return this.#child
  }

  members(): number[] {
    const child = this.#child
    return child?.pid !== undefined && isRunning(child) ? [child.pid] : []
  }

  signal(signal: NodeJS.Signals | number): void {
    if (signal !== 'SIGCONT' && signal !== 0) this.kill()
  }

  kill(): void {
    for (const pid of this.members())
      spawnSync(ownProgram('taskkill'), ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' })
  }

  dispose(): void {}
}
