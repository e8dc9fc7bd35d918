import { Worker } from 'node:worker_threads'
import { messageOf } from '@curfew/core/internal'
import type { CallRecord } from './call-columns.ts'
import { prepareFile } from './prepare-file.ts'
import { hasRunEnded } from './run-liveness.ts'
import type { WriterBatch, WriterData, WriterRequest, WriterResponse } from './writer-messages.ts'

/** After the first record, which is sent at once. */
const sendEveryMs = 20
const maxCallsPerBatch = 2_000
/** More batches would only wait in the thread, where nothing limits them. */
const maxBatches = 4
/** What may wait while the disk is full. */
const maxWaitingCalls = 100_000
const maxWaitingLength = 64 * 1_048_576
const openMs = 1_000
const closeMs = 2_000

/** Unfinished calls with changes. */
export interface LiveRecords {
  readonly live: number
  /** At most this many. */
  takeChanged(limit: number): CallRecord[]
}

export interface JournalWriterOptions extends WriterData {
  readonly warn: (message: string) => void
  readonly records: LiveRecords
}

/** Sends records to the thread that writes them, in batches. Nothing here throws or rejects. */
export class JournalWriter {
  readonly #options: JournalWriterOptions
  readonly #warned = new Set<string>()
  readonly #opened = new Signal()
  readonly #ended = new Signal()
  #worker: Worker | null = null
  #name: string
  #isOpen = false
  #isClosing = false
  #socket: string | null = null
  #calls: CallRecord[] = []
  #waitingLength = 0
  #lateEnds: WriterBatch['lateEnds'][number][] = []
  #dropped = 0
  #hasChanges = false
  #scheduled: NodeJS.Timeout | 'now' | null = null
  #sentAt = Number.NEGATIVE_INFINITY
  /** Batches that the thread has not written yet. */
  #batches = 0
  #flushes: (() => void)[] = []

  constructor(options: JournalWriterOptions) {
    this.#options = options
    this.#name = options.run.name
    this.#start()
  }

  get name(): string {
    return this.#name
  }

  /** Resolves when the file is open, or it cannot be opened, or that takes too long. */
  async opened(): Promise<void> {
    await within(openMs, Promise.race([this.#opened.raised, this.#ended.raised]))
  }

  /** Records a finished call. */
  add(call: CallRecord): void {
    if (this.#worker === null) return
    const length = lengthOf(call)
    if (this.#calls.length >= maxWaitingCalls || this.#waitingLength + length > maxWaitingLength) {
      this.#dropped++
      return
    }
    this.#waitingLength += length
    this.#calls.push(call)
    this.schedule()
  }

  addLateEnd(number: number, lateEnd: string): void {
    if (this.#worker === null || this.#lateEnds.length >= maxWaitingCalls) return
    this.#lateEnds.push([number, lateEnd])
    this.schedule()
  }

  /** Call it after a change of an unfinished call. */
  schedule(): void {
    this.#hasChanges = true
    if (!this.#isOpen || this.#scheduled !== null || this.#batches >= maxBatches) return
    const waitMs = this.#sentAt + sendEveryMs - performance.now()
    if (waitMs > 0) {
      this.#scheduled = setTimeout(() => this.#send(), waitMs).unref()
    } else {
      this.#scheduled = 'now'
      // After the current code, which may start or end many calls.
      queueMicrotask(() => this.#send())
    }
  }

  /** Also for a file that replaces this one. */
  setSocket(path: string | null): void {
    this.#socket = path
    if (this.#isOpen) this.#post({ type: 'socket', path })
  }

  async flush(): Promise<void> {
    if (this.#worker === null) return
    if (!this.#isOpen) await this.opened()
    if (!this.#isOpen) return
    while (this.#hasChanges && this.#batches < maxBatches) this.#send()
    if (!this.#hasChanges && this.#batches === 0) return
    this.#worker?.ref()
    await new Promise<void>((resolve) => this.#flushes.push(resolve))
    this.#worker?.unref()
  }

  async close(): Promise<void> {
    if (this.#isClosing) return await this.#ended.raised
    this.#isClosing = true
    const worker = this.#worker
    if (worker === null) return
    worker.ref()
    const closed = this.flush().then(() => {
      this.#post({ type: 'close' })
      return this.#ended.raised
    })
    await within(closeMs, Promise.race([closed, this.#ended.raised]))
    this.#end()
  }

  #start(): void {
    try {
      const { warn: _, records: __, ...workerData } = this.#options
      this.#worker = new Worker(new URL('./writer-thread.js', import.meta.url), {
        name: 'curfew journal',
        workerData: workerData satisfies WriterData,
        // The flags and variables of the program do not concern it.
        execArgv: [],
        env: {},
        stdout: true,
        stderr: true,
      })
    } catch (error) {
      this.#fail(`its thread cannot be started: ${messageOf(error)}`)
      return
    }
    this.#worker.on('message', (response: WriterResponse) => this.#onResponse(response))
    this.#worker.on('error', (error) => this.#fail(`its thread has failed: ${messageOf(error)}`))
    this.#worker.on('exit', (code) => {
      if (this.#worker !== null) this.#fail(`its thread has ended with code ${code}`)
    })
    this.#worker.unref()
    void this.#prepare()
  }

  async #prepare(): Promise<void> {
    try {
      await prepareFile(this.#options.path)
      this.#post({ type: 'open' })
    } catch (error) {
      this.#fail(messageOf(error))
    }
  }

  #onResponse(response: WriterResponse): void {
    switch (response.type) {
      case 'opened':
        this.#name = response.name
        this.#isOpen = true
        if (this.#socket !== null) this.setSocket(this.#socket)
        this.#opened.raise()
        this.#recover(response.runs)
        if (this.#hasChanges) this.schedule()
        return
      case 'written':
        this.#batches--
        if (this.#hasChanges) this.schedule()
        if (!this.#hasChanges && this.#batches === 0) this.#resolveFlushes()
        return
      case 'retrying':
        this.#warn(`${response.problem}. Calls continue, and are recorded as soon as possible`)
        this.#opened.raise()
        this.#resolveFlushes()
        return
      case 'missing':
        this.#warn('it was deleted or replaced while in use. A new one is started')
        this.#isOpen = false
        void this.#prepare()
        return
      case 'failed':
        this.#fail(response.problem)
        return
      case 'closed':
        this.#end()
    }
  }

  #recover(runs: Extract<WriterResponse, { type: 'opened' }>['runs']): void {
    const now = Date.now()
    const lost = runs.filter((run) => hasRunEnded(run, run.seenAt, now)).map(({ id }) => id)
    if (lost.length > 0) this.#post({ type: 'lost', runs: lost })
  }

  #send(): void {
    if (this.#scheduled !== null && this.#scheduled !== 'now') clearTimeout(this.#scheduled)
    this.#scheduled = null
    if (!this.#isOpen || !this.#hasChanges || this.#batches >= maxBatches) return
    const { records } = this.#options
    const finished = this.#calls.splice(0, maxCallsPerBatch)
    const live = records.takeChanged(maxCallsPerBatch - finished.length)
    const calls = live.length === 0 ? finished : [...finished, ...live]
    this.#hasChanges = calls.length >= maxCallsPerBatch
    if (this.#calls.length === 0) this.#waitingLength = 0
    const batch: WriterBatch = {
      calls,
      lateEnds: this.#lateEnds,
      dropped: this.#dropped,
      live: records.live,
    }
    this.#lateEnds = []
    this.#batches++
    this.#sentAt = performance.now()
    this.#post({ type: 'write', batch: JSON.stringify(batch) })
    if (this.#hasChanges) this.schedule()
  }

  #post(request: WriterRequest): void {
    this.#worker?.postMessage(request)
  }

  #fail(problem: string): void {
    this.#warn(`${problem}. Calls continue without being recorded`)
    this.#end()
  }

  #warn(message: string): void {
    if (this.#warned.has(message)) return
    this.#warned.add(message)
    this.#options.warn(`${this.#options.path}: the journal cannot be written: ${message}.`)
  }

  #end(): void {
    const worker = this.#worker
    this.#worker = null
    this.#isOpen = false
    this.#calls = []
    this.#lateEnds = []
    if (this.#scheduled !== null && this.#scheduled !== 'now') clearTimeout(this.#scheduled)
    this.#scheduled = null
    this.#ended.raise()
    this.#resolveFlushes()
    if (worker === null) return
    worker.unref()
    void worker.terminate()
  }

  #resolveFlushes(): void {
    for (const resolve of this.#flushes.splice(0)) resolve()
  }
}

async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([done, timeout])
  clearTimeout(timer)
}

function lengthOf(record: CallRecord): number {
  let length = 0
  for (const value of record) if (typeof value === 'string') length += value.length
  return length
}

/** A promise that is resolved from outside. */
class Signal {
  raise!: () => void
  readonly raised: Promise<void> = new Promise((resolve) => {
    this.raise = resolve
  })
}
