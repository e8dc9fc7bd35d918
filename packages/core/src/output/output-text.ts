import { StringDecoder } from 'node:string_decoder'
import type { RedactingStream } from '../secrets/redactor.ts'

/** Decodes and redacts one output stream, in any chunks. Returns well-formed text: no chunk ends within a character. */
export class OutputText {
  readonly #redacted: RedactingStream
  /** Created with the first bytes, because most tools emit strings. */
  #decoder: StringDecoder | null = null
  /** The first half of a surrogate pair. */
  #half = ''

  constructor(redacted: RedactingStream) {
    this.#redacted = redacted
  }

  push(chunk: unknown): string {
    return this.#redacted.push(this.#wholeCharacters(this.#decode(chunk)))
  }

  /** Returns the buffered rest, which might have been the beginning of a character or a secret. */
  end(): string {
    const rest = this.#wholeCharacters(this.#decoder?.end() ?? '') + this.#half.toWellFormed()
    this.#half = ''
    return this.#redacted.push(rest) + this.#redacted.end()
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
