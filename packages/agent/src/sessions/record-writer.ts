import { type Clock, messageOf } from '@curfew/core/internal'
import { type EncodedRecord, encodeRecord } from './encode-record.ts'
import { RecordRedactor, type Redact } from './record-redactor.ts'
import { isPrompt, type SessionHeader, type SessionRecord } from './session-record.ts'
import { addSizes, describeSize, isWithin, maxFileSize, type SessionSize } from './session-size.ts'

/** Written at once, so that a long queue does not block the event loop. */
const batchBytes = 1 << 20
/** While the disk does not respond. */
const maxPending = 10_000
/** A conversation waits no longer than this for the disk. */
const maxWaitMs = 5_000

/** The part of a file handle that a writer needs. */
export interface RecordSink {
  appendFile(bytes: Uint8Array): Promise<void>
  truncate(length: number): Promise<void>
  datasync(): Promise<void>
  close(): Promise<void>
}

export interface RecordWriterOptions {
  readonly path: string
  /** Called with the first record, so that an empty session leaves no file. */
  readonly open: () => Promise<RecordSink>
  /** Written before the first record; `null` if the file already has one. */
  readonly header: SessionHeader | null
  /** Of the file. */
  readonly size: SessionSize
  /** The number of turns in the file. */
  readonly turns: number
  readonly redact: Redact
  readonly onProblem: (message: string) => void
  readonly clock: Clock
}

/**
 * Appends records to a file in the background, in order. Nothing here throws: the conversation goes on without being saved. After a
 * failure, the same bytes are written again with the next record.
 */
export class RecordWriter {
  readonly #options: RecordWriterOptions
  readonly #redactor: RecordRedactor
  #pending: (SessionHeader | SessionRecord)[]
  /** Encoded but not yet written. */
  #batch: EncodedRecord | null = null
  #sink: RecordSink | null = null
  #size: SessionSize
  #turns: number
  #isScheduled = false
  #draining: Promise<boolean> | null = null
  #isDirty = false
  /** An attempt to write failed, so the file may end with a part of it. */
  #hasFailed = false
  #isStopped = false
  #isClosing = false
  #isReported = false

  constructor(options: RecordWriterOptions) {
    this.#options = options
    this.#redactor = new RecordRedactor(options.redact)
    this.#pending = options.header === null ? [] : [options.header]
    this.#size = options.size
    this.#turns = options.turns
  }

  append(record: SessionRecord): void {
    if (this.#isStopped || this.#isClosing) return
    if (this.#pending.length >= maxPending)
      return this.#stop(`the disk does not respond, and ${maxPending} records are waiting`)
    if (isPrompt(record)) this.#turns++
    const counted = record.type === 'counts' || record.type === 'end'
    this.#pending.push(counted ? { ...record, turns: this.#turns } : record)
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#options.clock.defer(() => {
      this.#isScheduled = false
      void this.#drain()
    })
  }

  /** Resolves when the system has all records: they survive the end of this process. */
  async written(): Promise<void> {
    await this.#bounded(this.#writtenAll())
  }

  /** Resolves when the disk has all records: they survive a power failure. */
  async flush(): Promise<void> {
    await this.#bounded(this.#writtenAll().then(() => this.#sync()))
  }

  /** Returns false if the file is still being written, because the disk does not respond. */
  async close(): Promise<boolean> {
    this.#isClosing = true
    const isDone = await this.#bounded(
      this.#writtenAll()
        .then(() => this.#sync())
        .then(() => this.#closeSink()),
    )
    this.#isStopped = true
    return isDone
  }

  /** Without a record, nothing is written: the header alone is no session. */
  async #writtenAll(): Promise<void> {
    while (this.#batch !== null || this.#pending.some(({ type }) => type !== 'session')) {
      if (!(await this.#drain())) return
    }
  }

  /** Returns false if writing failed. */
  #drain(): Promise<boolean> {
    this.#draining ??= this.#writeAll().finally(() => {
      this.#draining = null
    })
    return this.#draining
  }

  async #writeAll(): Promise<boolean> {
    try {
      while (!this.#isStopped) {
        this.#batch ??= this.#encodeBatch()
        if (this.#batch === null) return true
        await this.#write(this.#batch)
        this.#batch = null
      }
    } catch (error) {
      this.#hasFailed = true
      this.#report(messageOf(error))
    }
    return false
  }

  #encodeBatch(): EncodedRecord | null {
    const lines: Buffer[] = []
    let size: SessionSize = { bytes: 0, lines: 0, values: 0 }
    let taken = 0
    while (taken < this.#pending.length && size.bytes < batchBytes) {
      const encoded = this.#encode(this.#pending[taken++]!)
      if (encoded === null) continue
      lines.push(encoded.line)
      size = addSizes(size, encoded.size)
    }
    this.#pending.splice(0, taken)
    return lines.length === 0 ? null : { line: Buffer.concat(lines), size }
  }

  #encode(record: SessionHeader | SessionRecord): EncodedRecord | null {
    try {
      return encodeRecord(record, this.#redactor)
    } catch (error) {
      // Without its header, the file could not be read.
      if (record.type === 'session') throw error
      this.#report(`a record was left out: ${messageOf(error)}`)
      return null
    }
  }

  async #write(batch: EncodedRecord): Promise<void> {
    const size = addSizes(this.#size, batch.size)
    if (!isWithin(size, maxFileSize)) {
      return this.#stop(
        `a file can have at most ${describeSize(maxFileSize)}, so the rest of the conversation is not saved; resume the session to continue in a new file`,
      )
    }
    this.#sink ??= await this.#options.open()
    if (this.#hasFailed) await this.#sink.truncate(this.#size.bytes)
    this.#hasFailed = false
    await this.#sink.appendFile(batch.line)
    this.#size = size
    this.#isDirty = true
  }

  async #sync(): Promise<void> {
    if (!this.#isDirty || this.#sink === null) return
    this.#isDirty = false
    await this.#sink.datasync().catch((error: unknown) => this.#report(messageOf(error)))
  }

  async #closeSink(): Promise<void> {
    await this.#sink?.close().catch((error: unknown) => this.#report(messageOf(error)))
    this.#sink = null
  }

  /** Waits for the disk, but not forever. */
  #bounded(work: Promise<void>): Promise<boolean> {
    const { clock } = this.#options
    return new Promise((resolve) => {
      const timer = clock.setTimer(maxWaitMs, () => {
        this.#report(`the disk has not responded for ${maxWaitMs / 1_000} s`)
        resolve(false)
      })
      void work.finally(() => {
        clock.clearTimer(timer)
        resolve(true)
      })
    })
  }

  #stop(problem: string): void {
    this.#isStopped = true
    this.#pending = []
    this.#report(problem)
  }

  #report(problem: string): void {
    if (this.#isReported) return
    this.#isReported = true
    try {
      this.#options.onProblem(`${this.#options.path}: the session is not saved completely: ${problem}`)
    } catch (error) {
      process.emitWarning(`onProblem threw: ${messageOf(error)}`)
    }
  }
}
