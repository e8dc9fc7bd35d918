import type { ChildProcess, SpawnOptions } from 'node:child_process'
import type { Writable } from 'node:stream'
import type { Clock, Timer } from '../clock/clock.ts'
import { systemClock } from '../clock/clock.ts'
import { ByteCapture } from './byte-capture.ts'
import { createCgroup } from './cgroup.ts'
import { checkCommand } from './check-command.ts'
import { childEnvironment } from './child-environment.ts'
import { CommandStdio } from './command-stdio.ts'
import { type Containment, sendSignal } from './containment.ts'
import { liveCommands } from './live-commands.ts'
import { createMarkers } from './markers.ts'
import { createNamespace, namespaceCommand } from './namespace.ts'
import { niceCommand } from './nice-command.ts'
import type { OutputStream } from './output-stream.ts'
import { hasProc } from './proc-table.ts'
import { createProcessGroup } from './process-group.ts'
import type { ProcessOptions, ProcessResult, RunningProcess, StopSignal } from './process-options.ts'
import { setShutdownSignal } from './shutdown-signal.ts'
import { spawnAlone } from './spawn-alone.ts'
import { SpillFile } from './spill-file.ts'
import { startWatching, stopWatching, watchCommand } from './watchdog.ts'

/** How long killed processes may take to disappear, and their pipes to be drained. */
const settleMs = 150
const defaultGraceMs = 500
const sweepIntervalMs = 5

/**
 * Runs a command, and returns when it and everything that it started has ended: on its own, at the limit, or by
 * cancellation. Returns at limit + grace in any case.
 */
export function runProcess(options: ProcessOptions): Promise<ProcessResult> {
  return startProcess(options).result
}

/** Like `runProcess`, with access to the process while it runs. */
export function startProcess(options: ProcessOptions): RunningProcess {
  const { stopSignal, killAfterMs = defaultGraceMs } = options
  if (stopSignal !== undefined) setShutdownSignal({ signal: stopSignal, killAfterMs })
  let run: Run | undefined
  const result = new Promise<ProcessResult>((resolve) => {
    run = new Run(options, resolve)
    run.start()
  })
  return {
    pid: run?.pid,
    stdin: run?.stdin ?? null,
    result,
    signal: (signal) => run?.signal(signal),
    signalAll: (signal) => run?.signalAll(signal),
  }
}

class Run {
  readonly #options: ProcessOptions
  readonly #resolve: (result: ProcessResult) => void
  readonly #clock: Clock
  readonly #containment: Containment
  readonly #stdio = new CommandStdio()
  readonly #captures: Readonly<Record<OutputStream, ByteCapture>>
  readonly #startedAt: number
  readonly #timers = new Set<Timer>()
  #child: ChildProcess | null = null
  #outcome: ProcessResult['outcome'] | null = null
  #limit: ProcessResult['limit'] = null
  #lastOutput: number
  #spill: SpillFile | null = null
  #exit: { code: number | null; signal: NodeJS.Signals | null } | null = null
  #killed = false
  #done = false

  constructor(options: ProcessOptions, resolve: (result: ProcessResult) => void) {
    const { maxOutputBytes = 65_536 } = options
    this.#options = options
    this.#resolve = resolve
    this.#clock = options.clock ?? systemClock
    this.#captures = { stdout: new ByteCapture(maxOutputBytes), stderr: new ByteCapture(maxOutputBytes) }
    startWatching()
    this.#containment = createContainment(options.containment)
    this.#startedAt = this.#clock.now()
    this.#lastOutput = this.#startedAt
  }

  start(): void {
    try {
      this.#start()
    } catch (error) {
      // Something may have been started before the error.
      this.#containment.kill()
      this.#finish('not_started', [], error as NodeJS.ErrnoException)
    }
  }

  #start(): void {
    const { timeoutMs, idleMs, signal, spillTo } = this.#options
    const child = this.#spawn()
    this.#child = child
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined) this.#finish('not_started', [], error)
    })
    // The command may have ended, or closed its stdin.
    child.stdin?.on('error', () => {})
    if (child.pid === undefined) return
    watchCommand(child.pid)
    liveCommands.add(this.#containment)
    if (spillTo !== undefined) this.#spill = new SpillFile(spillTo, () => this.#stdio.resume())
    this.#stdio.read(child, this.#onOutput, this.#onOutputEnd)
    child.on('exit', (code, exitSignal) => {
      this.#exit = { code, signal: exitSignal }
      this.#stop('exited')
    })
    if (timeoutMs !== undefined) this.#after(timeoutMs, () => this.#onLimit('total'))
    if (idleMs !== undefined) this.#watchIdle(idleMs)
    if (signal?.aborted) this.#onAbort()
    else signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  #spawn(): ChildProcess {
    const { cwd, env, foreground = false, inheritEnvironment = false } = this.#options
    const environment = inheritEnvironment ? { ...process.env, ...env } : childEnvironment(env)
    const [command, ...args] = this.#commandLine(environment.PATH)
    const options: SpawnOptions = {
      cwd,
      env: environment,
      // In its own session, it has no terminal, and its group differs from ours.
      detached: !foreground,
      stdio: this.#stdio.prepare(this.#options),
    }
    try {
      const start = (final: SpawnOptions): ChildProcess => spawnAlone(command, args, final)
      return this.#containment.spawn(start, options, this.#stdio.paths)
    } finally {
      this.#stdio.closeChildEnds()
    }
  }

  #commandLine(path: string | undefined): readonly [string, ...string[]] {
    const { argv, cwd, nice } = this.#options
    const inside = this.#containment.kind === 'namespace' ? namespaceCommand(argv) : argv
    const line = nice === undefined ? inside : niceCommand(inside, nice)
    // A wrapper can report only through its exit code that a command cannot be run.
    if (line !== argv) checkCommand(argv[0], cwd, path)
    return line
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  get stdin(): Writable | null {
    return this.#child?.stdin ?? null
  }

  signal(signal: StopSignal): void {
    if (!this.#done && this.#exit === null && this.pid !== undefined) sendSignal(this.pid, signal)
  }

  signalAll(signal: StopSignal): void {
    if (!this.#done) this.#containment.signal(signal)
  }

  readonly #onAbort = (): void => this.#stop('cancelled')

  readonly #onOutput = (chunk: Buffer, stream: OutputStream): void => {
    if (this.#done) return
    this.#lastOutput = this.#clock.now()
    this.#captures[stream].append(chunk)
    this.#options.onOutput?.(chunk, stream)
    if (this.#spill?.write(chunk) === false) this.#stdio.pause(stream)
  }

  readonly #onOutputEnd = (stream: OutputStream): void => {
    if (!this.#done) this.#options.onOutputEnd?.(stream)
    this.#finishIfEmpty()
  }

  #onLimit(limit: 'total' | 'idle'): void {
    if (this.#outcome === null) this.#limit = limit
    this.#stop('timed_out')
  }

  #watchIdle(idleMs: number): void {
    const silent = this.#clock.now() - this.#lastOutput
    // A timer may fire a little early.
    if (silent >= idleMs - 1) return this.#onLimit('idle')
    this.#after(idleMs - silent, () => this.#watchIdle(idleMs))
  }

  /** The first cause wins. Sends the stop signal to everything that is left, then SIGKILL, and sweeps until all is gone. */
  #stop(outcome: ProcessResult['outcome']): void {
    if (this.#outcome !== null) return this.#finishIfEmpty()
    this.#outcome = outcome
    this.#finishIfEmpty()
    if (this.#done) return
    const { stopSignal = 'SIGTERM' } = this.#options
    // What a command leaves behind when it exits gets only the default grace period.
    const { graceMs = defaultGraceMs, killAfterMs = graceMs - settleMs } =
      outcome === 'exited' ? {} : this.#options
    // A stopped process starts nothing between a scan and a signal; without a parent, its child might not be recognized.
    if (this.#containment.kind === 'markers') this.#containment.signal('SIGSTOP')
    this.#containment.signal(outcome === 'exited' ? 'SIGTERM' : stopSignal)
    // A stopped process handles no other signal.
    if (stopSignal !== 'SIGKILL') this.#containment.signal('SIGCONT')
    this.#after(Math.max(0, killAfterMs), () => this.#kill())
    this.#after(killAfterMs + settleMs / 2, () => this.#findWriters(() => {}))
    this.#after(graceMs, () => this.#findWriters(() => this.#finish(outcome, this.#containment.members())))
    this.#sweep()
  }

  #kill(): void {
    this.#killed = true
    this.#containment.kill()
  }

  /** Known processes have been killed: one that still has the output open was not recognized. */
  #findWriters(then: () => void, turns = 3): void {
    if (this.#stdio.outputEnded || this.#done) return then()
    // If this process was busy, the end of the output may not have been read yet.
    if (turns > 0) return void setImmediate(() => this.#findWriters(then, turns - 1))
    this.#containment.findWriters?.()
    then()
  }

  /** Polls, because there is no event for the end of the last descendant; less often if a scan takes long. */
  #sweep(afterMs = sweepIntervalMs): void {
    this.#after(afterMs, () => {
      const start = this.#clock.now()
      // Also kills what was started during the previous kill.
      if (this.#killed) this.#kill()
      this.#finishIfEmpty()
      this.#sweep(Math.max(sweepIntervalMs, 4 * (this.#clock.now() - start)))
    })
  }

  #finishIfEmpty(): void {
    if (this.#done || this.#outcome === null || this.#exit === null || !this.#stdio.outputEnded) return
    if (this.#containment.members().length === 0) this.#finish(this.#outcome, [])
  }

  #after(ms: number, run: () => void): void {
    if (this.#done) return
    const timer = this.#clock.setTimer(ms, () => {
      this.#timers.delete(timer)
      if (!this.#done) run()
    })
    this.#timers.add(timer)
  }

  #finish(
    outcome: ProcessResult['outcome'],
    survivors: readonly number[],
    error: NodeJS.ErrnoException | null = null,
  ): void {
    if (this.#done) return
    this.#done = true
    liveCommands.delete(this.#containment)
    for (const timer of this.#timers) this.#clock.clearTimer(timer)
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    if (survivors.length > 0) this.#containment.kill()
    else stopWatching(this.pid)
    this.#stdio.destroy()
    this.#child?.unref()
    this.#containment.dispose()
    const result: ProcessResult = {
      outcome,
      limit: this.#limit,
      exitCode: this.#exit?.code ?? null,
      signal: this.#exit?.signal ?? null,
      ...this.#captures,
      survivors: this.pid === undefined || this.#containment.seesAllMembers ? survivors : null,
      containment: this.#containment.kind,
      durationMs: this.#clock.now() - this.#startedAt,
      error,
    }
    if (this.#spill === null) this.#resolve(result)
    else this.#spill.end(() => this.#resolve(result))
  }
}

function createContainment(requested: ProcessOptions['containment'] = 'auto'): Containment {
  if (!hasProc()) return createProcessGroup()
  if (requested === 'namespace') return createNamespace()
  return (requested === 'auto' ? createCgroup() : null) ?? createMarkers()
}
