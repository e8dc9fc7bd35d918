import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, type WriteStream } from 'node:fs'
import { setPriority } from 'node:os'
import type { Clock, Timer } from '../clock/clock.ts'
import { systemClock } from '../clock/clock.ts'
import { ByteCapture } from './byte-capture.ts'
import { createCgroup } from './cgroup.ts'
import { childEnvironment } from './child-environment.ts'
import { type Containment, type ContainmentKind, sendSignal } from './containment.ts'
import { createMarkers } from './markers.ts'
import { createNamespace, inNamespace } from './namespace.ts'

export interface ProcessOptions {
  /** The command and its arguments; no shell ever sees them. */
  readonly argv: readonly [string, ...string[]]
  readonly cwd?: string | undefined
  /**
   * The command gets all of our variables, not only the few that it needs to run.
   * @default false
   */
  readonly inheritEnvironment?: boolean | undefined
  /** @default 'empty' */
  readonly stdin?: 'empty' | 'inherit' | { readonly text: string } | undefined
  /**
   * `'inherit'` passes both streams through untouched and captures nothing.
   * @default 'capture'
   */
  readonly output?: 'capture' | 'inherit' | undefined
  /**
   * Stay in our session and process group, so that the command can use the terminal.
   * @default false
   */
  readonly foreground?: boolean | undefined
  /** From -20 to 19; larger is nicer to others. */
  readonly nice?: number | undefined
  /** Added to the few variables that every command gets. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** @default no limit */
  readonly timeoutMs?: number | undefined
  /**
   * How long it may say nothing.
   * @default no limit
   */
  readonly idleMs?: number | undefined
  /**
   * What a command is sent at its limit and on cancel.
   * @default 'SIGTERM'
   */
  readonly stopSignal?: StopSignal | undefined
  /**
   * The call returns so long after that at the latest.
   * @default 500
   */
  readonly graceMs?: number | undefined
  /**
   * SIGKILL follows so long after it.
   * @default a little before the grace is over
   */
  readonly killAfterMs?: number | undefined
  /** For each stream. */
  readonly maxOutputBytes?: number | undefined
  /** The whole of both streams goes to this file, as it comes. */
  readonly spillTo?: string | undefined
  readonly signal?: AbortSignal | undefined
  /**
   * `'auto'` is a cgroup where one may be made, and markers elsewhere.
   * @default 'auto'
   */
  readonly containment?: 'auto' | 'markers' | 'namespace' | undefined
  readonly onOutput?: ((chunk: Buffer, stream: 'stdout' | 'stderr') => void) | undefined
  readonly clock?: Clock | undefined
}

/** By name or by number; 0 asks for nothing. */
export type StopSignal = NodeJS.Signals | number

export interface RunningProcess {
  /** `undefined` if it was not started. */
  readonly pid: number | undefined
  readonly result: Promise<ProcessResult>
  /** Passes a signal on to the command itself. */
  signal(signal: StopSignal): void
}

export interface ProcessResult {
  readonly outcome: 'exited' | 'timed_out' | 'cancelled' | 'not_started'
  /** Which limit ran out, with `timed_out`. */
  readonly limit: 'total' | 'idle' | null
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: ByteCapture
  readonly stderr: ByteCapture
  /** Pids that outlived everything that was done against them; empty when all is well. */
  readonly survivors: readonly number[]
  readonly containment: ContainmentKind
  readonly durationMs: number
  /** Why it was not started. */
  readonly error: NodeJS.ErrnoException | null
}

/** How long killed processes may take to be gone, and their pipes to be read to the end. */
const settleMs = 150
const defaultGraceMs = 500

/**
 * Runs a command and everything it starts, and returns when all of it has ended: by itself, at the limit, or by
 * cancel. At limit + grace it returns in any case.
 */
export function runProcess(options: ProcessOptions): Promise<ProcessResult> {
  return startProcess(options).result
}

/** The same, for those who have to talk to it meanwhile. */
export function startProcess(options: ProcessOptions): RunningProcess {
  let run: Run | undefined
  const result = new Promise<ProcessResult>((resolve) => {
    run = new Run(options, resolve)
    run.start()
  })
  return { pid: run?.pid, result, signal: (signal) => run?.signal(signal) }
}

class Run {
  readonly #options: ProcessOptions
  readonly #resolve: (result: ProcessResult) => void
  readonly #clock: Clock
  readonly #containment: Containment
  readonly #stdout: ByteCapture
  readonly #stderr: ByteCapture
  readonly #startedAt: number
  readonly #timers = new Set<Timer>()
  #child: ChildProcess | null = null
  #outcome: ProcessResult['outcome'] | null = null
  #limit: ProcessResult['limit'] = null
  #lastOutput: number
  #spill: WriteStream | null = null
  #exit: { code: number | null; signal: NodeJS.Signals | null } | null = null
  #done = false

  constructor(options: ProcessOptions, resolve: (result: ProcessResult) => void) {
    const { maxOutputBytes = 65_536 } = options
    this.#options = options
    this.#resolve = resolve
    this.#clock = options.clock ?? systemClock
    this.#stdout = new ByteCapture(maxOutputBytes)
    this.#stderr = new ByteCapture(maxOutputBytes)
    this.#containment = createContainment(options.containment)
    this.#startedAt = this.#clock.now()
    this.#lastOutput = this.#startedAt
  }

  start(): void {
    try {
      this.#start()
    } catch (error) {
      // Whatever went wrong, what may have been started must not stay.
      this.#containment.kill()
      this.#finish('not_started', error as NodeJS.ErrnoException)
    }
  }

  #start(): void {
    const { argv, cwd, env, timeoutMs, idleMs, signal, nice, spillTo } = this.#options
    const { stdin = 'empty', foreground = false, inheritEnvironment = false } = this.#options
    const output = this.#options.output === 'inherit' ? 'inherit' : 'pipe'
    const [command, ...args] = this.#options.containment === 'namespace' ? inNamespace(argv) : argv
    this.#child = this.#containment.spawn((spawnOptions) => spawn(command, args, spawnOptions), {
      cwd,
      env: inheritEnvironment ? { ...process.env, ...env } : childEnvironment(env),
      // A session of its own: it has no terminal, and its group can be told from ours.
      detached: !foreground,
      stdio: [
        typeof stdin === 'object' ? 'pipe' : stdin === 'inherit' ? 'inherit' : 'ignore',
        output,
        output,
      ],
    })
    const child = this.#child
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined) this.#finish('not_started', error)
    })
    if (child.pid === undefined) return
    if (typeof stdin === 'object') {
      child.stdin!.on('error', () => {})
      child.stdin!.end(stdin.text)
    }
    if (nice !== undefined) lowerPriority(child.pid, nice)
    if (spillTo !== undefined) this.#openSpill(spillTo)
    this.#read('stdout', this.#stdout)
    this.#read('stderr', this.#stderr)
    child.on('exit', (code, exitSignal) => {
      this.#exit = { code, signal: exitSignal }
      this.#stop('exited')
    })
    child.on('close', () => this.#finishIfEmpty())
    if (timeoutMs !== undefined) this.#after(timeoutMs, () => this.#runOut('total'))
    if (idleMs !== undefined) this.#watchIdle(idleMs)
    if (signal?.aborted) this.#onAbort()
    else signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  signal(signal: StopSignal): void {
    if (!this.#done && this.#exit === null && this.pid !== undefined) sendSignal(this.pid, signal)
  }

  readonly #onAbort = (): void => this.#stop('cancelled')

  #read(stream: 'stdout' | 'stderr', capture: ByteCapture): void {
    this.#child![stream]?.on('data', (chunk: Buffer) => {
      if (this.#done) return
      this.#lastOutput = this.#clock.now()
      capture.append(chunk)
      this.#options.onOutput?.(chunk, stream)
      if (this.#spill?.write(chunk) === false) this.#waitForSpill(stream)
    })
  }

  /** A file that cannot be written must not hold up the command. */
  #openSpill(path: string): void {
    this.#spill = createWriteStream(path, { mode: 0o600 }).on('error', () => {
      this.#spill = null
      this.#child?.stdout?.resume()
      this.#child?.stderr?.resume()
    })
  }

  /** A disk that is slower than the command holds the command back, not our memory. */
  #waitForSpill(stream: 'stdout' | 'stderr'): void {
    const source = this.#child![stream]!
    source.pause()
    this.#spill!.once('drain', () => source.resume())
  }

  #runOut(limit: 'total' | 'idle'): void {
    if (this.#outcome === null) this.#limit = limit
    this.#stop('timed_out')
  }

  #watchIdle(idleMs: number): void {
    const silent = this.#clock.now() - this.#lastOutput
    // A timer may fire a little early.
    if (silent >= idleMs - 1) return this.#runOut('idle')
    this.#after(idleMs - silent, () => this.#watchIdle(idleMs))
  }

  /** The first cause wins. Asks everything that is left to end, then makes it end, and looks whether it did. */
  #stop(outcome: ProcessResult['outcome']): void {
    if (this.#outcome !== null) return this.#finishIfEmpty()
    this.#outcome = outcome
    const { stopSignal = 'SIGTERM' } = this.#options
    // What a command leaves behind when it ends by itself has no claim to a long farewell.
    const { graceMs = defaultGraceMs, killAfterMs = graceMs - settleMs } =
      outcome === 'exited' ? {} : this.#options
    if (this.#containment.members().length > 0) {
      this.#containment.signal(outcome === 'exited' ? 'SIGTERM' : stopSignal)
      // A stopped process hears nothing else.
      if (stopSignal !== 'SIGKILL') this.#containment.signal('SIGCONT')
    }
    this.#after(Math.max(0, killAfterMs), () => this.#containment.kill())
    this.#after(graceMs, () => this.#finish(outcome, null))
    this.#watch()
  }

  /** Looks again soon: nothing tells when the last of a command's descendants has gone. */
  #watch(): void {
    this.#after(5, () => {
      this.#finishIfEmpty()
      if (!this.#done) this.#watch()
    })
    this.#finishIfEmpty()
  }

  #finishIfEmpty(): void {
    if (this.#done || this.#outcome === null || this.#exit === null || !this.#outputEnded()) return
    if (this.#containment.members().length === 0) this.#finish(this.#outcome, null)
  }

  #outputEnded(): boolean {
    const { stdout, stderr } = this.#child!
    return (stdout?.closed ?? true) && (stderr?.closed ?? true)
  }

  #after(ms: number, run: () => void): void {
    const timer = this.#clock.setTimer(ms, () => {
      this.#timers.delete(timer)
      if (!this.#done) run()
    })
    this.#timers.add(timer)
  }

  #finish(outcome: ProcessResult['outcome'], error: NodeJS.ErrnoException | null): void {
    if (this.#done) return
    this.#done = true
    for (const timer of this.#timers) this.#clock.clearTimer(timer)
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    const survivors = outcome === 'not_started' ? [] : this.#containment.members()
    if (survivors.length > 0) this.#containment.kill()
    this.#child?.stdout?.destroy()
    this.#child?.stderr?.destroy()
    this.#child?.unref()
    this.#containment.dispose()
    const result: ProcessResult = {
      outcome,
      limit: this.#limit,
      exitCode: this.#exit?.code ?? null,
      signal: this.#exit?.signal ?? null,
      stdout: this.#stdout,
      stderr: this.#stderr,
      survivors,
      containment: this.#containment.kind,
      durationMs: this.#clock.now() - this.#startedAt,
      error,
    }
    if (this.#spill === null) this.#resolve(result)
    else this.#spill.end(() => this.#resolve(result))
  }
}

function createContainment(wanted: ProcessOptions['containment'] = 'auto'): Containment {
  if (wanted === 'namespace') return createNamespace()
  return (wanted === 'auto' ? createCgroup() : null) ?? createMarkers()
}

function lowerPriority(pid: number, nice: number): void {
  try {
    setPriority(pid, nice)
  } catch {
    // Gone already, or we may not: it runs with the priority it has.
  }
}
