import { messageOf } from '@curfew/core/internal'
import { onBeforeExit } from './before-exit.ts'
import type { CallRecord } from './call-columns.ts'
import type { CallRecorder, RecordSink } from './call-recorder.ts'
import { JournalWarnings } from './journal-warnings.ts'
import { prepareFile } from './prepare-file.ts'
import { hasRunEnded } from './run-liveness.ts'
import { within } from './signal.ts'
import { WaitingCalls } from './waiting-calls.ts'
import { type ChannelEvents, DelayedThread, startThread, type WriterChannel } from './writer-channel.ts'
import type { LostCall, OpenRun, WriterBatch, WriterData, WriterResponse } from './writer-messages.ts'

/** After the first record, which is sent at once. */
const sendEveryMs = 10
/** After a batch with many calls: writing and waking the thread then costs more than the records themselves. */
const sendEveryMsIfBusy = 20
const busyCalls = 10
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
  readonly #opened = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<void>()
  /** Called with the calls of processes that have ended without closing the journal. */
  onLost: (calls: readonly LostCall[]) => void = () => {}
  /** `null` when nothing is written any more. */
  #thread: WriterChannel | null = null
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
  #isBusy = false
  /** The number of batches. */
  #sent = 0
  #stopWaiting: () => void = () => {}
  /** Raised with every batch that was written. */
  #progress = Promise.withResolvers<void>()

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
    await within(openMs, this.#opened.promise)
  }

  /** Whether records are written, or will be. */
  get isActive(): boolean {
    return this.#thread !== null
  }

  add(call: CallRecord): void {
    this.#waiting.add(call)
    this.schedule()
  }

  addLateEnd(number: number, lateEnd: string): void {
    if (this.#lateEnds.length >= maxLateEnds) return
    this.#lateEnds.push([number, lateEnd])
    this.schedule()
  }

  schedule(): void {
    if (this.#isDeferred || !this.#isOpen) return
    const waitMs = this.#sentAt + (this.#isBusy ? sendEveryMsIfBusy : sendEveryMs) - performance.now()
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
    if (this.#isOpen) this.#thread?.post({ type: 'socket', path })
  }

  /** Resolves when everything up to now is written, or cannot be written at present. */
  async flush(): Promise<void> {
    // On a busy machine, the thread of a short process needs longer to start than the process to do its work.
    await (this.#isClosing ? this.#opened.promise : this.opened())
    this.#thread?.ref()
    while (this.#hasWork && this.#isOpen && !this.#isStuck) {
      if (this.#hasRecords && this.#batches < maxBatches) this.#send()
      else await this.#progress.promise
    }
    if (!this.#isClosing) this.#thread?.unref()
  }

  /** Takes at most five seconds. */
  async close(): Promise<void> {
    if (this.#isClosing || this.#thread === null) return await this.#ended.promise
    this.#isClosing = true
    this.#thread.hurry()
    this.#thread.ref()
    void this.flush().then(() => this.#thread?.post({ type: 'close' }))
    await within(closeMs, this.#ended.promise)
    if (this.#thread !== null && this.#hasWork)
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
      onEnd: (problem) =>
        this.#fail(`the thread that writes them has failed: ${problem}; restart this program`),
    }
    try {
      this.#thread =
        delayMs === undefined
          ? startThread(this.#data, events)
          : new DelayedThread(this.#data, events, delayMs)
    } catch (error) {
      events.onEnd(messageOf(error))
      return
    }
    this.#stopWaiting = onBeforeExit(() => this.#onBeforeExit())
    void this.#prepare()
  }

  async #prepare(): Promise<void> {
    if (this.#thread === null) return
    try {
      await prepareFile(this.#data.path)
      this.#thread?.post({ type: 'open' })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOSPC' && code !== 'EDQUOT') return this.#fail(messageOf(error))
      this.#warnings.retrying('the disk is full; free some space')
      this.#opened.resolve()
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
        this.#opened.resolve()
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
        return this.#report(response.calls)
      case 'closed':
        return this.#end()
    }
  }

  #onOpened(name: string, runs: readonly OpenRun[]): void {
    this.#name = name
    this.#isOpen = true
    if (this.#isReplacement) this.#warnings.replaced()
    this.#isReplacement = false
    if (this.#socket !== null) this.#thread?.post({ type: 'socket', path: this.#socket })
    const now = Date.now()
    const lost = runs.filter((run) => hasRunEnded(run, run.seenAt, now)).map(({ id }) => id)
    if (lost.length > 0) this.#thread?.post({ type: 'lost', runs: lost })
    this.#opened.resolve()
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
      // A call has to be there before its late end.
      lateEnds: this.#waiting.size === 0 ? this.#lateEnds : [],
      dropped: this.#waiting.dropped,
      live: this.#liveCalls.live,
    }
    if (this.#waiting.size === 0) this.#lateEnds = []
    // Wraps around like the number of the thread.
    this.#sent = (this.#sent + 1) | 0
    this.#sentAt = performance.now()
    this.#isBusy = batch.calls.length >= busyCalls
    this.#thread?.post({ type: 'write', batch })
    if (this.#hasRecords) this.schedule()
  }

  /** Nothing keeps the process alive for the journal, but it may write what it has. */
  #onBeforeExit(): void {
    if (!this.#hasWork || this.#isStuck || this.#hasDelayedExit) return
    this.#hasDelayedExit = true
    this.#thread?.hurry()
    void within(closeMs, this.flush()).then(() => this.#thread?.unref())
  }

  /** The program's function may throw. */
  #report(lost: readonly LostCall[]): void {
    try {
      this.onLost(lost)
    } catch (error) {
      this.#warnings.failedToReport(messageOf(error))
    }
  }

  #fail(problem: string): void {
    this.#warnings.failed(problem)
    this.#end()
  }

  #end(): void {
    this.#thread?.end()
    this.#thread = null
    this.#isOpen = false
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#stopWaiting()
    this.#opened.resolve()
    this.#ended.resolve()
    this.#raiseProgress()
  }

  #raiseProgress(): void {
    const progress = this.#progress
    this.#progress = Promise.withResolvers<void>()
    progress.resolve()
  }
}
