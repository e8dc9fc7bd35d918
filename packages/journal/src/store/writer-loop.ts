import { ClockJumps } from './clock-jumps.ts'
import { JournalDatabase } from './journal-database.ts'
import { faultOf } from './journal-fault.ts'
import { systemWallClock, type WallClock } from './wall-clock.ts'
import type { WriterData, WriterRequest, WriterResponse } from './writer-messages.ts'

const busyRetryMs = 20
const temporaryRetryMs = 1_000
/** Other writers need milliseconds, so by then something is wrong. */
const reportBusyAfterMs = 10_000
const maintainEveryMs = 60_000
const firstRetentionMs = 1_000
const retentionEveryMs = 600_000
/** Between two steps, so that calls are recorded in the meantime. */
const retentionPauseMs = 50

type Work = (db: JournalDatabase) => void

interface WriterLoopOptions {
  readonly send: (response: WriterResponse) => void
  readonly onEnd: () => void
  readonly clock?: WallClock
}

/** Does the work of the thread: what it receives, in order. What fails is retried as long as it may succeed. */
export class WriterLoop {
  readonly #data: WriterData
  readonly #send: (response: WriterResponse) => void
  readonly #onEnd: () => void
  readonly #clock: WallClock
  readonly #jumps: ClockJumps
  #db: JournalDatabase | null = null
  #queue: Work[] = []
  #live = 0
  #mayOpen = false
  #isClosing = false
  #hasRetained = false
  #retry: NodeJS.Timeout | null = null
  #maintenance: NodeJS.Timeout | null = null
  #retention: NodeJS.Timeout | null = null
  #busySince: number | null = null

  constructor(data: WriterData, { send, onEnd, clock = systemWallClock }: WriterLoopOptions) {
    this.#data = data
    this.#send = send
    this.#onEnd = onEnd
    this.#clock = clock
    this.#jumps = new ClockJumps(clock)
  }

  handle(request: WriterRequest): void {
    if (request.type === 'open') this.#mayOpen = true
    else this.#queue.push(this.#workOf(request))
    // A process that ends does not wait for the next attempt.
    if (request.type === 'close') this.#isClosing = true
    else if (this.#retry !== null) return
    this.#run()
  }

  /** Called every minute. A process that cannot check this one sees that it is alive. */
  maintain(): void {
    this.#maintenance = setTimeout(() => this.maintain(), maintainEveryMs).unref()
    this.#checkClock()
    if (this.#live === 0 || this.#queue.length > 0) return
    this.#queue.push((db) => db.touch(this.#clock.now()))
    this.#run()
  }

  /** Gives up what is left. */
  stop(): void {
    for (const timer of [this.#retry, this.#maintenance, this.#retention])
      if (timer !== null) clearTimeout(timer)
    this.#retry = this.#maintenance = this.#retention = null
    this.#db?.close()
    this.#db = null
    this.#queue = []
  }

  #workOf(request: Exclude<WriterRequest, { type: 'open' }>): Work {
    switch (request.type) {
      case 'write':
        return (db) => {
          db.write(request.batch, this.#clock.now())
          this.#live = request.batch.live
          Atomics.add(this.#data.written, 0, 1)
          this.#send({ type: 'written' })
        }
      case 'lost':
        return (db) => this.#send({ type: 'lost', calls: db.markLost(request.runs) })
      case 'socket':
        return (db) => db.setSocket(request.path)
      case 'close':
        return (db) => {
          db.endRun(this.#clock.now())
          // Otherwise, nothing would ever be removed if all processes are short.
          if (!this.#hasRetained) this.#retain()
          this.#end()
        }
    }
  }

  #run(): void {
    if (this.#retry !== null) clearTimeout(this.#retry)
    this.#retry = null
    try {
      if (this.#db === null) this.#open()
      for (;;) {
        const work = this.#queue[0]
        if (this.#db === null || work === undefined) return
        work(this.#db)
        this.#queue.shift()
        this.#busySince = null
      }
    } catch (error) {
      this.#onFault(error)
    }
  }

  #open(): void {
    if (!this.#mayOpen) return
    this.#db = new JournalDatabase(this.#data)
    this.#mayOpen = false
    this.#busySince = null
    this.#send({ type: 'opened', name: this.#db.name, runs: this.#db.openRuns() })
    this.#maintenance ??= setTimeout(() => this.maintain(), maintainEveryMs).unref()
    this.#retention ??= setTimeout(() => this.#retain(), firstRetentionMs).unref()
  }

  #retain(): void {
    this.#hasRetained = true
    let hasMore = false
    try {
      if (this.#queue.length === 0 || this.#isClosing)
        hasMore = this.#db?.removeOld(this.#trustedNow()) ?? false
    } catch (error) {
      // Another process may be doing the same.
      if (faultOf(error).kind !== 'busy') this.#onFault(error)
    }
    if (this.#retention === null) return
    this.#retention = setTimeout(() => this.#retain(), hasMore ? retentionPauseMs : retentionEveryMs).unref()
  }

  /** `null` if calls must not be removed by age. */
  #trustedNow(): number | null {
    this.#checkClock()
    return this.#jumps.isTrusted ? this.#clock.now() : null
  }

  #checkClock(): void {
    const jumpMs = this.#jumps.check()
    if (jumpMs !== 0) this.#send({ type: 'jumped', jumpMs })
  }

  #onFault(error: unknown): void {
    const { kind, message } = faultOf(error)
    if (kind === 'busy') {
      this.#busySince ??= performance.now()
      const isReported = performance.now() - this.#busySince > reportBusyAfterMs
      if (isReported) this.#send({ type: 'retrying', problem: message })
      this.#retry = setTimeout(() => this.#run(), busyRetryMs)
    } else if (kind === 'final' || this.#isClosing) {
      this.#send({ type: 'failed', problem: message })
      this.#end()
    } else if (kind === 'missing') {
      this.#db?.close()
      this.#db = null
      this.#mayOpen = false
      this.#send({ type: 'missing' })
    } else {
      this.#send({ type: 'retrying', problem: message })
      this.#retry = setTimeout(() => this.#run(), temporaryRetryMs)
    }
  }

  #end(): void {
    this.stop()
    this.#send({ type: 'closed' })
    this.#onEnd()
  }
}
