import { type BigIntStats, writeSync } from 'node:fs'
import { type FileHandle, lstat } from 'node:fs/promises'
import { type Clock, messageOf, systemClock } from '@curfew/core/internal'
import { openLogFile } from './log-folder.ts'
import { rotateLog } from './rotate-log.ts'

export interface LogFileOptions {
  readonly path: string
  readonly maxBytes: number
  readonly maxFiles: number
  /** Called once, with the first problem. */
  readonly warn: (message: string) => void
  readonly clock?: Clock | undefined
}

/** Lines that wait for a slow disk. */
const maxQueuedBytes = 4 << 20
const maxBatchBytes = 65_536
const pauseMs = 5_000
/** How much larger than `maxBytes` a file may become if it cannot be rotated. */
const maxExcessBytes = 16 << 20
const lineEnd = Buffer.from('\n')

/** With one listener for all, because Node warns about more than ten. */
const unfinished = new Set<() => void>()

function writeAllRests(): void {
  for (const writeRest of unfinished) writeRest()
}

/**
 * A file that several processes append lines to. A batch of whole lines is one write, which the system does not mix with those of other
 * processes. Nothing here throws or rejects: if the file cannot be written, lines are dropped and counted.
 */
export class LogFile {
  readonly #options: LogFileOptions
  readonly #clock: Clock
  #queue: Buffer[] = []
  #queuedBytes = 0
  #file: { readonly handle: FileHandle; readonly inode: bigint } | null = null
  #writing: Promise<void> | null = null
  #warned = false
  #dropped = 0
  #pausedUntil = Number.NEGATIVE_INFINITY
  /** The file in which the last write ended within a line. */
  #torn: bigint | null = null
  #isClosed = false
  readonly #onExit = (): void => this.#writeRest()

  constructor(options: LogFileOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    if (unfinished.size === 0) process.on('exit', writeAllRests)
    unfinished.add(this.#onExit)
  }

  /** The number of lines that were dropped since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped
  }

  /** Whether there is room for more than one line. */
  get isAccepting(): boolean {
    return !this.#isPaused() && 2 * this.#queuedBytes < maxQueuedBytes
  }

  push(line: string): void {
    const bytes = Buffer.from(line)
    if (this.#isClosed || this.#isPaused() || this.#queuedBytes + bytes.length > maxQueuedBytes) {
      this.#dropped++
      return
    }
    this.#queue.push(bytes)
    this.#queuedBytes += bytes.length
    this.#start()
  }

  /** Resolves when everything up to now is written or dropped. */
  async flush(): Promise<void> {
    while (this.#writing !== null) await this.#writing
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.flush()
    unfinished.delete(this.#onExit)
    if (unfinished.size === 0) process.off('exit', writeAllRests)
    await this.#closeFile()
  }

  /** After a failure, lines are dropped for a while. */
  #isPaused(): boolean {
    return this.#clock.now() < this.#pausedUntil
  }

  #start(): void {
    this.#writing ??= this.#writeQueue().finally(() => {
      this.#writing = null
      // A line that arrived in between.
      if (this.#queue.length > 0) this.#start()
    })
  }

  async #writeQueue(): Promise<void> {
    while (this.#queue.length > 0) {
      let lines: readonly Buffer[] = []
      try {
        await this.#prepare()
        // Not earlier: what is in the queue can still be written if the process exits.
        lines = this.#takeBatch()
        await this.#writeLines(lines)
      } catch (error) {
        this.#dropped += lines.length + this.#queue.length
        this.#queue = []
        this.#queuedBytes = 0
        this.#pausedUntil = this.#clock.now() + pauseMs
        this.#warn(`the log cannot be written: ${messageOf(error)}`)
        await this.#closeFile()
      }
    }
  }

  #takeBatch(): readonly Buffer[] {
    let bytes = 0
    let count = 0
    do bytes += this.#queue[count++]!.length
    while (count < this.#queue.length && bytes + this.#queue[count]!.length <= maxBatchBytes)
    this.#queuedBytes -= bytes
    return this.#queue.splice(0, count)
  }

  /** Opens a file that has room for the next batch. */
  async #prepare(): Promise<void> {
    const { path, maxBytes } = this.#options
    const bytes = BigInt(Math.min(this.#queuedBytes, maxBatchBytes))
    let size = await this.#openCurrent()
    if (size === 0n || size + bytes <= maxBytes) return
    await this.#rotate()
    size = await this.#openCurrent()
    if (size > maxBytes + maxExcessBytes) throw new Error(`${path} is too large, and cannot be renamed`)
  }

  async #writeLines(lines: readonly Buffer[]): Promise<void> {
    const { handle, inode } = this.#file!
    const batch = Buffer.concat(this.#torn === inode ? [lineEnd, ...lines] : lines)
    let written = 0
    // Less is written only if the disk is full; the next attempt then reports that.
    while (written < batch.length) {
      const { bytesWritten } = await handle.write(batch, written)
      written += bytesWritten
      this.#torn = written < batch.length && batch[written - 1] !== lineEnd[0] ? inode : null
    }
  }

  /** Opens the file if it is not open, or if another one is at its path by now. Returns its size. */
  async #openCurrent(): Promise<bigint> {
    const { path } = this.#options
    const found = await lstat(path, { bigint: true }).catch(() => null)
    if (this.#file !== null && this.#file.inode === found?.ino) return found.size
    await this.#closeFile()
    const handle = await openLogFile(path)
    let stats: BigIntStats
    try {
      stats = await handle.stat({ bigint: true })
    } catch (error) {
      await handle.close()
      throw error
    }
    this.#file = { handle, inode: stats.ino }
    return stats.size
  }

  /** A file that cannot be renamed grows a little longer. */
  async #rotate(): Promise<void> {
    const { path, maxFiles } = this.#options
    try {
      await rotateLog(path, this.#file!.inode, maxFiles)
    } catch (error) {
      this.#warn(`the log cannot be rotated: ${messageOf(error)}`)
    }
  }

  async #closeFile(): Promise<void> {
    const file = this.#file
    this.#file = null
    await file?.handle.close().catch(() => {})
  }

  /** At the end of the process, nothing asynchronous runs any more. */
  #writeRest(): void {
    if (this.#file === null || this.#queue.length === 0) return
    try {
      writeSync(this.#file.handle.fd, Buffer.concat(this.#queue))
    } catch {}
  }

  #warn(message: string): void {
    if (this.#warned) return
    this.#warned = true
    try {
      this.#options.warn(message)
    } catch {
      // There is nowhere left to report it.
    }
  }
}
