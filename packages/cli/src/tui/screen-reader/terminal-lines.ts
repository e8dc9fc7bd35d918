import { StringDecoder } from 'node:string_decoder'
import { type Clock, systemClock, type Timer } from '@curfew/core/internal'

/** Lines of a paste follow each other faster than anyone types. */
const pasteMs = 50

/** What a person types line by line, edited and echoed by the terminal itself. The lines of a paste are one text. */
export class TerminalLines {
  readonly #source: NodeJS.ReadableStream
  readonly #clock: Clock
  readonly #onText: (text: string) => void
  readonly #onEnd: () => void
  readonly #decoder = new StringDecoder('utf8')
  #unfinished = ''
  #lines: string[] = []
  #timer: Timer | null = null
  /** Who gets the next text instead. */
  #next: ((text: string | null) => void) | null = null

  constructor(
    source: NodeJS.ReadableStream,
    { onText, onEnd }: { onText(text: string): void; onEnd(): void },
    clock: Clock = systemClock,
  ) {
    this.#source = source
    this.#clock = clock
    this.#onText = onText
    this.#onEnd = onEnd
  }

  start(): void {
    this.#source.on('data', this.#receive)
    this.#source.on('end', this.#end)
    // The terminal is gone.
    this.#source.on('error', this.#end)
    this.#source.resume()
  }

  /** Leaves the terminal to someone else. What was typed and not sent is dropped. */
  pause(): void {
    this.#deliver()
    this.#source.off('data', this.#receive)
    this.#source.pause()
    this.#unfinished = ''
  }

  resume(): void {
    this.#source.off('data', this.#receive)
    this.#source.on('data', this.#receive)
    this.#source.resume()
  }

  stop(): void {
    this.pause()
    this.#source.off('end', this.#end)
    this.#give(null)
  }

  /** The next text; `null` if the signal is aborted or input ends. */
  next(signal: AbortSignal): Promise<string | null> {
    if (signal.aborted) return Promise.resolve(null)
    return new Promise((resolve) => {
      const abort = (): void => this.#give(null)
      this.#next = (text) => {
        signal.removeEventListener('abort', abort)
        resolve(text)
      }
      signal.addEventListener('abort', abort)
    })
  }

  readonly #receive = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk)
    const lines = (this.#unfinished + text).split('\n')
    this.#unfinished = lines.pop()!
    if (lines.length === 0) return
    this.#lines.push(...lines)
    if (this.#timer !== null) this.#clock.clearTimer(this.#timer)
    this.#timer = this.#clock.setTimer(pasteMs, () => this.#deliver())
  }

  #deliver(): void {
    if (this.#timer !== null) this.#clock.clearTimer(this.#timer)
    this.#timer = null
    if (this.#lines.length === 0) return
    const text = this.#lines.splice(0).join('\n')
    if (this.#next === null) this.#onText(text)
    else this.#give(text)
  }

  #give(text: string | null): void {
    const next = this.#next
    this.#next = null
    next?.(text)
  }

  readonly #end = (): void => {
    this.#deliver()
    this.#give(null)
    this.#onEnd()
  }
}
