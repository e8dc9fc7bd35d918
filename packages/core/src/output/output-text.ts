import { StringDecoder } from 'node:string_decoder'
import type { RedactingStream } from '../secrets/redactor.ts'

/** One stream of output, as text and without secrets, however it is cut into pieces. */
export class OutputText {
  readonly #redacted: RedactingStream
  /** Made with the first bytes: most tools emit texts. */
  #decoder: StringDecoder | null = null

  constructor(redacted: RedactingStream) {
    this.#redacted = redacted
  }

  push(chunk: unknown): string {
    return this.#redacted.push(this.#decode(chunk))
  }

  /** What was held back because more might have come. */
  end(): string {
    return this.#redacted.push(this.#decoder?.end() ?? '') + this.#redacted.end()
  }

  #decode(chunk: unknown): string {
    if (!(chunk instanceof Uint8Array)) return String(chunk)
    this.#decoder ??= new StringDecoder('utf8')
    return this.#decoder.write(chunk)
  }
}
