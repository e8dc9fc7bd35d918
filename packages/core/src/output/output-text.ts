import { StringDecoder } from 'node:string_decoder'
import type { Clock, Timer } from '../clock/clock.ts'
import type { RedactingStream } from '../secrets/redactor.ts'

/** After this time without output, more of what may be the beginning of a secret is shown. */
const silenceMs = 200

/** Decodes and redacts one output stream, in any chunks. Returns well-formed text: no chunk ends within a character. */
export class OutputText {
  readonly #redacted: RedactingStream
  /** Created with the first bytes, because most tools emit strings. */
  #decoder: StringDecoder | null = null
  /** The first half of a surrogate pair. */
  #half = ''
  readonly #clock: Clock
  readonly #onSilence: () => void
  #silence: Timer | null = null
  #isSilent = false

  constructor(redacted: RedactingStream, clock: Clock, onSilence: () => void) {
    this.#redacted = redacted
    this.#clock = clock
    this.#onSilence = onSilence
  }

  /** The buffered end, as it may be shown until more arrives. */
  get pending(): string {
    return this.#redacted.preview(this.#isSilent)
  }

  push(chunk: unknown): string {
    const text = this.#redacted.push(this.#wholeCharacters(this.#decode(chunk)))
    this.#endSilence()
    if (this.#redacted.preview(true) !== this.pending)
      this.#silence = this.#clock.setTimer(silenceMs, () => {
        this.#isSilent = true
        this.#onSilence()
      })
    return text
  }

  /** Returns the buffered rest, which might have been the beginning of a character or a secret. */
  end(): string {
    const rest = this.#wholeCharacters(this.#decoder?.end() ?? '') + this.#half.toWellFormed()
    this.#half = ''
    this.#endSilence()
    return this.#redacted.push(rest) + this.#redacted.end()
  }

  #endSilence(): void {
    if (this.#silence !== null) this.#clock.clearTimer(this.#silence)
    this.#silence = null
    this.#isSilent = false
  }

  #wholeCharacters(chunk: string): string {
    let text = this.#half + chunk
    const last = text.charCodeAt(text.length - 1)
    const endsWithHalf = last >= 0xd800 && last <= 0xdbff
    this.#half = endsWithHalf ? text.slice(-1) : ''
    if (endsWithHalf) text = text.slice(0, -1)
    return text.isWellFormed() ? text : text.toWellFormed()
  }

  #decode(chunk: unknown): string {
    if (!(chunk instanceof Uint8Array)) return String(chunk)
    this.#decoder ??= new StringDecoder('utf8')
    return this.#decoder.write(chunk)
  }
}
