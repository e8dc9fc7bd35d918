/** Keeps the head and tail of a byte stream in bounded memory, and counts all bytes. */
export class ByteCapture {
  readonly #limit: number
  readonly #head: Buffer
  readonly #tail: Buffer
  #headLength = 0
  #tailLength = 0
  /** The next write position in the tail, which is a ring buffer. */
  #tailAt = 0
  bytes = 0

  constructor(limit: number) {
    this.#limit = limit
    this.#head = Buffer.allocUnsafe(Math.ceil(limit / 2))
    this.#tail = Buffer.allocUnsafe(Math.floor(limit / 2))
  }

  append(chunk: Buffer): void {
    this.bytes += chunk.length
    const headBytes = Math.min(chunk.length, this.#head.length - this.#headLength)
    if (headBytes > 0) {
      chunk.copy(this.#head, this.#headLength, 0, headBytes)
      this.#headLength += headBytes
    }
    if (headBytes < chunk.length) this.#appendTail(chunk.subarray(headBytes))
  }

  #appendTail(chunk: Buffer): void {
    const size = this.#tail.length
    if (size === 0) return
    const rest = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk
    const first = Math.min(rest.length, size - this.#tailAt)
    rest.copy(this.#tail, this.#tailAt, 0, first)
    rest.copy(this.#tail, 0, first)
    this.#tailAt = (this.#tailAt + rest.length) % size
    this.#tailLength = Math.min(size, this.#tailLength + rest.length)
  }

  get truncated(): boolean {
    return this.bytes > this.#limit
  }

  /** Invalid UTF-8 becomes replacement characters. */
  toString(): string {
    const head = this.#head.subarray(0, this.#headLength)
    const from = this.#tailLength < this.#tail.length ? 0 : this.#tailAt
    const tail = Buffer.concat([this.#tail.subarray(from, this.#tailLength), this.#tail.subarray(0, from)])
    if (!this.truncated) return Buffer.concat([head, tail]).toString('utf8')
    const omitted = this.bytes - head.length - tail.length
    return `${head.toString('utf8')}\n[... ${omitted} bytes omitted ...]\n${tail.toString('utf8')}`
  }
}
