import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { type Clock, systemClock, type Timer } from '@curfew/core/internal'
import { KeySplitter } from './key-splitter.ts'
import type { TerminalResponse } from './match-sequence.ts'

/** What is needed of `process.stdin`. */
export interface TerminalSource extends NodeJS.ReadableStream {
  readonly isTTY?: boolean
  readonly isRaw?: boolean
  setRawMode?(mode: boolean): unknown
  ref?(): unknown
  unref?(): unknown
}

/**
 * What a person types, without what the terminal answers to questions. Ink reads it instead of `process.stdin`: each chunk is one key, one
 * run of text or one paste. The terminal is read only in raw mode, so that other programs get what is typed while they use it.
 */
export class TerminalInput extends Readable {
  readonly #source: TerminalSource
  readonly #clock: Clock
  readonly #splitter = new KeySplitter((response) => this.emit('response', response))
  readonly #decoder = new StringDecoder('utf8')
  #isReading = false
  #isLost = false
  #timer: Timer | null = null

  constructor(source: TerminalSource = process.stdin, clock: Clock = systemClock) {
    super({ objectMode: true })
    this.#source = source
    this.#clock = clock
    for (const event of lostEvents) source.on(event, this.#lose)
  }

  /** Ink calls it; the keys are strings already. */
  override setEncoding(): this {
    return this
  }

  get isTTY(): boolean {
    return this.#source.isTTY === true
  }

  get isRaw(): boolean {
    return this.#source.isRaw === true
  }

  setRawMode(isRaw: boolean): this {
    // A terminal that is gone cannot change its mode.
    if (!this.#isLost) this.#source.setRawMode?.(isRaw)
    if (isRaw !== this.#isReading) isRaw ? this.#start() : this.#stop()
    return this
  }

  ref(): this {
    this.#source.ref?.()
    return this
  }

  unref(): this {
    this.#source.unref?.()
    return this
  }

  /** Returns an unsubscribe function. */
  onResponse(listener: (response: TerminalResponse) => void): () => void {
    this.on('response', listener)
    return () => this.off('response', listener)
  }

  /** The terminal was closed, or the connection to it, or it is not read any more. Returns an unsubscribe function. */
  onLost(listener: () => void): () => void {
    this.on('lost', listener)
    return () => this.off('lost', listener)
  }

  /** To be called when the terminal is asked something. Returns a function for when nothing more is expected. */
  expectResponse(): () => void {
    this.#splitter.expected++
    let isDone = false
    return () => {
      if (!isDone) this.#splitter.expected--
      isDone = true
    }
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#stop()
    for (const event of lostEvents) this.#source.off(event, this.#lose)
    if (!this.#isLost) this.emit('lost')
    this.#isLost = true
    done(error)
  }

  #start(): void {
    this.#isReading = true
    this.#source.on('data', this.#onData)
    this.#source.resume()
  }

  #stop(): void {
    if (!this.#isReading) return
    this.#isReading = false
    this.#source.off('data', this.#onData)
    this.#source.pause()
    this.#deliver(this.#splitter.flush())
  }

  readonly #onData = (chunk: Buffer | string): void => {
    this.#deliver(this.#splitter.push(typeof chunk === 'string' ? chunk : this.#decoder.write(chunk)))
  }

  #deliver(keys: readonly string[]): void {
    if (!this.#isLost) for (const key of keys) this.push(key)
    if (this.#timer !== null) this.#clock.clearTimer(this.#timer)
    const { waitMs } = this.#splitter
    this.#timer =
      waitMs === null || !this.#isReading
        ? null
        : this.#clock.setTimer(waitMs, () => this.#deliver(this.#splitter.flush()))
  }

  /** Also called with the error of reading from a terminal that is gone. */
  readonly #lose = (): void => {
    if (this.#isLost) return
    this.#stop()
    this.#isLost = true
    this.push(null)
    this.emit('lost')
  }
}

const lostEvents = ['error', 'end', 'close'] as const
