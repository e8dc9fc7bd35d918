import { messageOf } from '@curfew/core/internal'
import type { CallRecord } from './call-columns.ts'
import type { CallRecorder, RecordSink } from './call-recorder.ts'
import { JournalWarnings } from './journal-warnings.ts'
import { prepareFile } from './prepare-file.ts'
import { hasRunEnded } from './run-liveness.ts'
import { Signal, within } from './signal.ts'
import { WaitingCalls } from './waiting-calls.ts'
import { type ChannelEvents, DelayedThread, startThread, type WriterChannel } from './writer-channel.ts'
import type {
  LostCall,
  OpenRun,
  WriterBatch,
  WriterData,
  WriterRequest,
  WriterResponse,
} from './writer-messages.ts'

/** After the first record, which is sent at once. */
const sendEveryMs = 10
const maxCallsPerBatch = 500
/** Of each batch, so that what is running becomes visible even if very many calls end. */
const reservedForLive = 20
/** Most calls of a large batch end within milliseconds, and then one record is enough. */
const maxCallsAtOnce = 100
/** One is written while the next one waits. What comes later is combined, and finished calls go first. */
const maxBatches = 2
const maxLateEnds = 10_000
/** Until the disk has space again, for example. */
const prepareAgainMs = 10_000
const openMs = 1_000
const closeMs = 5_000

export interface JournalWriterOptions {
  readonly data: Omit<WriterData, 'written'>
  readonly calls: CallRecorder
  readonly warn: (message: string) => void
  readonly threadDelayMs?: number | undefined
}

/** Sends records to the thread that writes them, in batches. Nothing here throws or rejects. */
export class JournalWriter implements RecordSink {
  readonly #data: WriterData
  readonly #liveCalls: CallRecorder
  readonly #warnings: JournalWarnings
  readonly #waiting = new WaitingCalls()
  readonly #opened = new Signal()
  readonly #ended = new Signal()
  /** Called with the calls of processes that have ended without closing the journal. */
  onLost: (calls: readonly LostCall[]) => void = () => {}
  /** `null` when nothing is written any more. */
  #worker: WriterChannel | null = null
  #name: string
  #socket: string | null = null
  #isOpen = false
  #isStuck = false
  /** The file was deleted, and there will be another one. */
  #isReplacement = false
  #isClosing = false
  #hasDelayedExit = false
  #lateEnds: WriterBatch['lateEnds'][number][] = []
  #timer: NodeJS.Timeout | null = null
  #isDeferred = false
  #sentAt = Number.NEGATIVE_INFINITY
  /** The number of batches. */
  #sent = 0
  /** Raised with every batch that was written. */
  #progress = new Signal()

  constructor({ data, calls, warn, threadDelayMs }: JournalWriterOptions) {
    this.#data = { ...data, written: new Int32Array(new SharedArrayBuffer(4)) }
    this.#liveCalls = calls
    this.#name = data.run.name
    this.#warnings = new JournalWarnings(data.path, warn)
    this.#start(threadDelayMs)
  }

  /** The first part of the ids of calls. */
  get name(): string {
    return this.#name
  }

  /** Resolves when the file is open, or it cannot be opened, or that takes too long. */
  async opened(): Promise<void> {
    await within(openMs, this.#opened.raised)
  }

  /** Records a finished call. */
  add(call: CallRecord): void {
    if (this.#worker === null) return
    this.#waiting.add(call)
    this.schedule()
  }

  addLateEnd(number: number, lateEnd: string): void {
    if (this.#worker === null || this.#lateEnds.length >= maxLateEnds) return
    this.#lateEnds.push([number, lateEnd])
    this.schedule()
  }

  /** Called after every change. */
  schedule(): void {
    if (this.#isDeferred || !this.#isOpen) return
    const waitMs = this.#sentAt + sendEveryMs - performance.now()
    if (waitMs > 0) {
      this.#timer ??= setTimeout(() => this.#send(), waitMs).unref()
      return
    }
    // Also if the timer is late, because the event loop is busy.
    if (this.#batches >= maxBatches) return
    this.#isDeferred = true
    // After the current code, which may start or end many calls.
    queueMicrotask(() => this.#send(maxCallsAtOnce))
  }

  /** The path of the control socket of this process. */
  setSocket(path: string | null): void {
    this.#socket = path
    if (this.#isOpen) this.#post({ type: 'socket', path })
  }

  /** Resolves when everything up to now is written, or cannot be written at present. */
  async flush(): Promise<void> {
    // On a busy machine, the thread of a short process needs longer to start than the process to do its work.
    await (this.#isClosing ? this.#opened.raised : this.opened())
    const worker = this.#worker
    worker?.ref()
    while (this.#hasWork && this.#isOpen && !this.#isStuck) {
      if (this.#hasRecords && this.#batches < maxBatches) this.#send()
      else await this.#progress.raised
    }
    if (!this.#isClosing) worker?.unref()
  }

  /** Takes at most five seconds. */
  async close(): Promise<void> {
    if (this.#isClosing) return await this.#ended.raised
    this.#isClosing = true
    this.#worker?.hurry()
    this.#worker?.ref()
    const closed = this.flush().then(() => {
      this.#post({ type: 'close' })
      return this.#ended.raised
    })
    if (this.#worker !== null) await within(closeMs, Promise.race([closed, this.#ended.raised]))
    if (this.#worker !== null && this.#hasWork)
      this.#warnings.failed('the last ones could not be written in time; another program may have locked it')
    this.#end()
  }

  /** Batches that the thread has not written yet. */
  get #batches(): number {
    return (this.#sent - Atomics.load(this.#data.written, 0)) | 0
  }

  get #hasRecords(): boolean {
    return this.#waiting.size > 0 || this.#lateEnds.length > 0 || this.#liveCalls.hasChanged
  }

  get #hasWork(): boolean {
    return this.#batches > 0 || this.#hasRecords
  }

  #start(delayMs: number | undefined): void {
    const events: ChannelEvents = {
      onResponse: (response) => this.#onResponse(response),
      onEnd: (problem) => this.#onThreadEnd(problem),
    }
    try {
      this.#worker =
        delayMs === undefined
          ? startThread(this.#data, events)
          : new DelayedThread(this.#data, events, delayMs)
    } catch (error) {
      this.#onThreadEnd(messageOf(error))
      return
    }
    process.on('beforeExit', this.#onBeforeExit)
    void this.#prepare()
  }

  async #prepare(): Promise<void> {
    try {
      await prepareFile(this.#data.path)
      this.#post({ type: 'open' })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOSPC' && code !== 'EDQUOT') return this.#fail(messageOf(error))
      this.#warnings.retrying('the disk is full; free some space')
      this.#opened.raise()
      setTimeout(() => void this.#prepare(), prepareAgainMs).unref()
    }
  }

  #onResponse(response: WriterResponse): void {
    switch (response.type) {
      case 'opened':
        return this.#onOpened(response.name, response.runs)
      case 'written':
        this.#isStuck = false
        this.#warnings.solved()
        if (this.#hasRecords) this.schedule()
        return this.#raiseProgress()
      case 'retrying':
        this.#isStuck = true
        this.#warnings.retrying(response.problem)
        this.#opened.raise()
        return this.#raiseProgress()
      case 'missing':
        this.#isOpen = false
        this.#isReplacement = true
        void this.#prepare()
        return this.#raiseProgress()
      case 'failed':
        return this.#fail(response.problem)
      case 'jumped':
        return this.#warnings.jumped(response.jumpMs)
      case 'lost':
        return this.onLost(response.calls)
      case 'closed':
        return this.#end()
    }
  }

  #onOpened(name: string, runs: readonly OpenRun[]): void {
    this.#name = name
    this.#isOpen = true
    if (this.#isReplacement) this.#warnings.replaced()
    this.#isReplacement = false
    if (this.#socket !== null) this.#post({ type: 'socket', path: this.#socket })
    const now = Date.now()
    const lost = runs.filter((run) => hasRunEnded(run, run.seenAt, now)).map(({ id }) => id)
    if (lost.length > 0) this.#post({ type: 'lost', runs: lost })
    this.#opened.raise()
    if (this.#hasRecords) this.schedule()
  }

  #send(limit = maxCallsPerBatch): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#isDeferred = false
    if (!this.#isOpen || !this.#hasRecords || this.#batches >= maxBatches) return
    const finished = this.#waiting.take(limit - reservedForLive)
    const live = this.#liveCalls.takeChanged(limit - finished.length)
    const batch: WriterBatch = {
      calls: live.length === 0 ? finished : [...finished, ...live],
      lateEnds: this.#lateEnds,
      dropped: this.#waiting.dropped,
      live: this.#liveCalls.live,
    }
    this.#lateEnds = []
    // Wraps around like the number of the thread.
    this.#sent = (this.#sent + 1) | 0
    this.#sentAt = performance.now()
    this.#post({ type: 'write', batch: batch })
    if (this.#hasRecords) this.schedule()
  }

  #post(request: WriterRequest): void {
    this.#worker?.post(request)
  }

  /** Nothing keeps the process alive for the journal, but it may write what it has. */
  readonly #onBeforeExit = (): void => {
    if (!this.#hasWork || !this.#isOpen || this.#isStuck || this.#hasDelayedExit) return
    this.#hasDelayedExit = true
    void within(closeMs, this.flush()).then(() => this.#worker?.unref())
  }

  #onThreadEnd(problem: string): void {
    if (this.#worker !== null || !this.#isClosing)
      this.#fail(`the thread that writes them has failed: ${problem}; restart this program`)
  }

  #fail(problem: string): void {
    this.#warnings.failed(problem)
    this.#end()
  }

  #end(): void {
    const worker = this.#worker
    this.#worker = null
    this.#isOpen = false
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    process.off('beforeExit', this.#onBeforeExit)
    this.#opened.raise()
    this.#ended.raise()
    this.#raiseProgress()
    worker?.end()
  }

  #raiseProgress(): void {
    const progress = this.#progress
    this.#progress = new Signal()
    progress.raise()
  }
}
