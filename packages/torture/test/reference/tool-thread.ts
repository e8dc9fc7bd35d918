import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { isMutant } from './mutation.ts'
import { failure, type Outcome } from './outcome.ts'
import { serveTools } from './serve-tools.ts'
import type { ThreadData, ThreadReport, ThreadRequest } from './thread-messages.ts'
import { type Clock, type Limits, withLimit } from './with-limit.ts'

export type CallNested = (name: string, params: string, signal: AbortSignal) => Promise<Outcome>

interface Waiting {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly callNested: CallNested
  settle(outcome: Outcome): void
  fail(error: Error): void
}

const answersWithinMs = 500

/** The thread of all function tools. The main thread keeps the clocks, so a tool that blocks delays none. */
export class ToolThread {
  readonly #data: ThreadData
  readonly #calls = new Map<number, Waiting>()
  /** Settles when the thread takes calls. */
  #ready = Promise.resolve()
  #worker: Worker | null = null
  #port!: Pick<MessagePort, 'postMessage'>
  #checks: ((ready?: Promise<void>) => void)[] = []
  #lastId = 0
  #late: Outcome | null = null
  #isClosed = false

  constructor(data: ThreadData) {
    this.#data = data
    this.#start()
  }

  async call(limits: Limits, params: string, callNested: CallNested): Promise<Outcome> {
    await this.#ready
    if (this.#late !== null) return this.#late
    return withLimit(limits, (signal, clock) => {
      const id = ++this.#lastId
      if (isMutant('wall-clock', 'counts-ticks')) clock.stop()
      const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
      this.#calls.set(id, { clock, signal, callNested, settle: resolve, fail: reject })
      signal.addEventListener('abort', () => {
        if (!isMutant('waits-for-the-tool', 'ends-again')) this.#calls.delete(id)
        this.#send({ type: 'abort', id })
        this.#check()
      })
      this.#send({ type: 'call', id, name: limits.name, params })
      return promise
    })
  }

  get ready(): Promise<void> {
    return this.#ready
  }

  close(): void {
    this.#isClosed = true
    void this.#worker?.terminate()
  }

  #send(request: ThreadRequest): void {
    this.#port.postMessage(request)
  }

  #start(): void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#ready = promise
    const onReport = (report: ThreadReport): void =>
      report.type === 'ready' ? resolve() : this.#receive(report)
    if (isMutant('in-process')) {
      const { port1, port2 } = new MessageChannel()
      port1.on('message', onReport)
      this.#port = port1
      void serveTools(this.#data, port2)
      return
    }
    const worker = new Worker(new URL('./tool-thread-main.ts', import.meta.url), { workerData: this.#data })
    worker.on('message', onReport)
    worker.on('error', () => {})
    worker.on('exit', () => {
      if (this.#worker === worker) this.#restart()
    })
    this.#worker = worker
    this.#port = worker
  }

  /** Whether the thread still answers; calls that start in the meantime wait for it. */
  #check(): void {
    if (isMutant('keeps-blocked-thread', 'in-process')) return
    const before = this.#ready
    const worker = this.#worker
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#ready = promise
    const timer = setTimeout(() => {
      if (this.#worker === worker) this.#restart()
    }, answersWithinMs)
    this.#checks.push((ready = before) => {
      clearTimeout(timer)
      resolve(ready)
    })
    this.#send({ type: 'ping' })
  }

  #endChecks(ready?: Promise<void>): void {
    for (const endCheck of this.#checks.splice(0)) endCheck(ready)
  }

  #restart(): void {
    const worker = this.#worker
    this.#worker = null
    void worker?.terminate()
    const calls = [...this.#calls.values()]
    this.#calls.clear()
    if (this.#isClosed) return this.#endChecks()
    this.#start()
    this.#endChecks(this.#ready)
    for (const call of calls)
      call.settle(failure('the thread of this tool was ended, because of another call; it may have run'))
  }

  #receive(report: ThreadReport): void {
    if (report.type === 'pong') return this.#endChecks()
    if (report.type === 'ready') return
    const call = this.#calls.get(report.id)
    if (call === undefined) {
      if (isMutant('unknown-calls-throw')) throw new Error(`there is no call ${report.id}`)
      if (isMutant('late-results-are-kept') && report.type === 'outcome') this.#late = report.outcome
      return
    }
    switch (report.type) {
      case 'outcome':
        this.#calls.delete(report.id)
        return call.settle(report.outcome)
      case 'broken':
        this.#calls.delete(report.id)
        return call.fail(new Error(report.message))
      case 'output':
        call.clock.written += report.text
        return isMutant('output-extends') ? call.clock.restart() : undefined
      case 'progress':
        return isMutant('progress-extends') ? call.clock.restart() : undefined
      case 'returned':
        return call.clock.stop()
      case 'timeout':
        this.#calls.delete(report.id)
        return call.settle(failure(`it timed out after ${this.#data.limitMs} ms`))
      case 'nested': {
        const { id, nested, name, params } = report
        if (isMutant('nesting-stops-the-clock')) call.clock.stop()
        void call
          .callNested(name, params, call.signal)
          .then((outcome) => this.#send({ type: 'nested-result', id, nested, outcome }))
      }
    }
  }
}
