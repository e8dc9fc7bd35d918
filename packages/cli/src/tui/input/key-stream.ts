import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { type Clock, systemClock, type Timer } from '@curfew/core/internal'
import { KeySplitter } from './key-splitter.ts'

/** How long a lone Escape may be the start of a sequence. */
const escapeMs = 50
/** How long the rest of a sequence may take, over a slow connection. */
const sequenceMs = 200

/**
 * What Ink reads instead of `process.stdin`: each chunk is one key, one run of text or one paste. It reads from the terminal only while
 * Ink wants keys, so that a child process can have the terminal in between.
 */
export class KeyStream extends Readable {
  readonly isTTY: boolean
  readonly #source: NodeJS.ReadStream
  readonly #clock: Clock
  readonly #splitter = new KeySplitter()
  #decoder = new StringDecoder('utf8')
  #timer: Timer | null = null

  constructor(source: NodeJS.ReadStream = process.stdin, clock: Clock = systemClock) {
    super({ objectMode: true, read: () => {} })
    this.isTTY = source.isTTY
    this.#source = source
    this.#clock = clock
    source.once('end', this.#end)
    // A terminal that is closed is an error here, which must not be thrown.
    source.on('error', this.#end)
  }

  /** Ink calls it; the keys are strings already. */
  override setEncoding(): this {
    return this
  }

  setRawMode(isRaw: boolean): this {
    this.#source.off('data', this.#receive)
    this.#source.setRawMode(isRaw)
    if (isRaw) this.#source.on('data', this.#receive).resume()
    else {
      this.#source.pause()
      this.#stopTimer()
    }
    return this
  }

  ref(): this {
    this.#source.ref()
    return this
  }

  unref(): this {
    this.#source.unref()
    return this
  }

  readonly #receive = (chunk: Uint8Array | string): void => {
    this.#stopTimer()
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(Buffer.from(chunk))
    for (const event of this.#splitter.push(text)) this.push(event)
    const { waitsFor } = this.#splitter
    if (waitsFor === null) return
    this.#timer = this.#clock.setTimer(waitsFor === 'escape' ? escapeMs : sequenceMs, () => {
      this.#timer = null
      for (const event of this.#splitter.flush()) this.push(event)
    })
  }

  readonly #end = (): void => {
    this.#stopTimer()
    if (!this.readableEnded) this.push(null)
  }

  #stopTimer(): void {
    if (this.#timer !== null) this.#clock.clearTimer(this.#timer)
    this.#timer = null
  }
}
