import { StringDecoder } from 'node:string_decoder'
import type { RedactingStream } from '../secrets/redactor.ts'

/** Decodes and redacts one output stream, in any chunks. */
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

  /** Returns the buffered rest, which might have been the beginning of a character or a secret. */
  end(): string {
    return this.#redacted.push(this.#decoder?.end() ?? '') + this.#redacted.end()
  }

  #decode(chunk: unknown): string {
    if (!(chunk instanceof Uint8Array)) return String(chunk)
    this.#decoder ??= new StringDecoder('utf8')
    return this.#decoder.write(chunk)
  }
}
