import { StringDecoder } from 'node:string_decoder'
import type { RedactingStream } from '../secrets/redactor.ts'

/** Decodes and redacts one output stream, wherever its chunks are cut. */
export class OutputText {
  readonly #redacted: RedactingStream
  /** Created with the first bytes, because most tools emit strings. */
  #decoder: StringDecoder | null = null

  constructor(redacted: RedactingStream) {
    this.#redacted = redacted
  }

  push(chunk: unknown): string {
    return this.#redacted.push(this.#decode(chunk))
  }

  /** Returns what was held back as the possible beginning of a character or a secret. */
  end(): string {
    return this.#redacted.push(this.#decoder?.end() ?? '') + this.#redacted.end()
  }

  #decode(chunk: unknown): string {
    if (!(chunk instanceof Uint8Array)) return String(chunk)
    this.#decoder ??= new StringDecoder('utf8')
    return this.#decoder.write(chunk)
  }
}
