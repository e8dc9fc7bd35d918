import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Call, ListedCall } from '../adapter/adapter.ts'
import type { HostReport, HostRequest, HostSetup, SentResult } from '../host/messages.ts'
import { end, type Process, toProcess } from '../observe/processes.ts'
import { monotonicMs } from '../tools/record-event.ts'
import { Failed } from './failed.ts'

export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

/** How a run of calls ended, as the suite saw it. */
export interface Settled {
  /** From its start. */
  readonly ms: number
  readonly results: readonly SentResult[]
  /** Why there are no results; `null` if there are. */
  readonly rejected: string | null
}

interface Waiting {
  readonly startMs: number
  settle(settled: Settled): void
}

const openWithinMs = 60_000
const maxStderr = 20_000

/** A process that runs an adapter, observed from outside. */
export class HostProcess {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  readonly #reports: HostReport[] = []
  /** The product, if the host is not. */
  readonly #product: Process[] = []
  readonly #wake = new Set<() => void>()
  #runs = 0
  #stderr = ''
  #stdout = ''
  #exit: Exit | null = null
  /** The ids of calls whose end the product told. */
  readonly ended: string[] = []

  constructor(adapter: string, env: Readonly<Record<string, string>>, folder: string) {
    this.#child = fork(new URL('../host/host-main.js', import.meta.url), [adapter], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#child.on('message', (report: HostReport) => this.#receive(report))
    this.#child.on('exit', (code, signal) => {
      this.#exit = { code, signal }
      this.#notify()
    })
    // A request may be sent to a host that has just ended.
    this.#child.on('error', () => {})
    this.#child.stdout!.on('data', (chunk) => {
      this.#stdout = (this.#stdout + String(chunk)).slice(-maxStderr)
    })
    this.#child.stderr!.on('data', (chunk) => {
      this.#stderr = (this.#stderr + String(chunk)).slice(-maxStderr)
    })
  }

  get pid(): number {
    return this.#child.pid!
  }

  get exit(): Exit | null {
    return this.#exit
  }

  get stderr(): string {
    return this.#stderr
  }

  get stdout(): string {
    return this.#stdout
  }

  async open(setup: HostSetup): Promise<Extract<HostReport, { type: 'opened' }>> {
    this.#send({ type: 'open', setup })
    return this.#report('opened', openWithinMs)
  }

  start(calls: readonly Call[]): Run {
    return this.#run((run) => ({ type: 'run', run, calls }))
  }

  prompt(text: string): Run {
    return this.#run((run) => ({ type: 'prompt', run, text }))
  }

  command(command: string): Run {
    return this.#run((run) => ({ type: 'command', run, command }))
  }

  async list(): Promise<readonly ListedCall[]> {
    this.#send({ type: 'list' })
    const { calls } = await this.#report('listed', 20_000)
    return calls
  }

  /** Waits for a question. */
  async question(withinMs: number): Promise<Question> {
    const { question, name, params } = await this.#report('question', withinMs)
    return { name, params, answer: (allowed) => this.#send({ type: 'answer', question, allowed }) }
  }

  get openQuestions(): number {
    return this.#reports.filter(({ type }) => type === 'question').length
  }

  async close(withinMs = 10_000): Promise<void> {
    if (this.#exit !== null) return
    this.#send({ type: 'close' })
    await this.#report('closed', withinMs)
  }

  /** Ends the process of the product, and the host's own, as `kill -9` does. */
  async kill(): Promise<void> {
    end(this.#product)
    if (this.#exit !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }

  #run(toRequest: (run: number) => HostRequest): Run {
    const run = ++this.#runs
    const settled = new Promise<Settled>((settle) => {
      this.#waiting.set(run, { startMs: monotonicMs(), settle })
    })
    this.#send(toRequest(run))
    return { settled, cancel: () => this.#send({ type: 'cancel', run }) }
  }

  #send(request: HostRequest): void {
    if (this.#child.connected) this.#child.send(request)
  }

  #receive(report: HostReport): void {
    if (report.type === 'settled' || report.type === 'rejected') {
      const waiting = this.#waiting.get(report.run)!
      this.#waiting.delete(report.run)
      const [results, rejected] = report.type === 'settled' ? [report.results, null] : [[], report.message]
      waiting.settle({ ms: monotonicMs() - waiting.startMs, results, rejected })
      return
    }
    if (report.type === 'started') {
      const started = toProcess(report.pid)
      if (started !== null) this.#product.push(started)
      return
    }
    if (report.type === 'ended') {
      this.ended.push(report.id)
      return
    }
    this.#reports.push(report)
    this.#notify()
  }

  /** Takes the next report of a type. */
  async #report<T extends HostReport['type']>(
    type: T,
    withinMs: number,
  ): Promise<Extract<HostReport, { type: T }>> {
    const endMs = monotonicMs() + withinMs
    for (;;) {
      const index = this.#reports.findIndex((report) => report.type === type || report.type === 'failed')
      if (index >= 0) {
        const [report] = this.#reports.splice(index, 1)
        if (report!.type === 'failed') throw new Failed(`the adapter failed: ${report!.message}`)
        return report as Extract<HostReport, { type: T }>
      }
      if (this.#exit !== null) throw new Failed(`the host ended: ${this.describeExit()}`)
      const leftMs = endMs - monotonicMs()
      if (leftMs <= 0) throw new Failed(`nothing was ${type} within ${withinMs / 1_000} s`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, leftMs)
        const wake = this.#wake
        wake.add(done)
        function done(): void {
          clearTimeout(timer)
          wake.delete(done)
          resolve()
        }
      })
    }
  }

  describeExit(): string {
    const { code, signal } = this.#exit ?? {}
    const lines = this.#stderr.trim().split('\n').slice(-8).join(' | ').slice(0, 600)
    return `${signal ?? `exit code ${String(code)}`}${lines === '' ? '' : `; ${lines}`}`
  }

  #notify(): void {
    for (const wake of this.#wake) wake()
  }
}

export interface Run {
  /** Resolves when the product has the calls, if that takes longer: it may have to ask a model for them first. */
  readonly requested?: Promise<void>
  readonly settled: Promise<Settled>
  cancel(): void
}

export interface Question {
  readonly name: string
  /** What the user would see, as JSON; `null` if the product does not tell. */
  readonly params: string | null
  answer(allowed: boolean): void
}
