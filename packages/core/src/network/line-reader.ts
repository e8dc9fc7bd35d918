/** An oversized line, with enough of both ends to find out which request it answers. */
export interface SkippedLine {
  readonly bytes: number
  readonly head: string
  readonly tail: string
}

interface LineListener {
  onLine(line: string): void
  onSkipped(line: SkippedLine): void
  /** The skipped line is so long that it may never end. Without this listener, a line of any length is skipped. */
  onEndless?(bytes: number): void
}

const endBytes = 512
const maxSkippedBytes = 100 << 20
const firstCapacity = 4_096
const newline = 10

/** Splits a stream of bytes into lines. Keeps at most `maxBytes` of a line. */
export class LineReader {
  readonly #maxBytes: number
  readonly #listener: LineListener
  /** The beginning of an incomplete line. One buffer, because chunks may have one byte each. */
  #line: Buffer = Buffer.alloc(0)
  /** The length of the line so far, including the part that was not kept. */
  #bytes = 0
  /** The end of a line that is too long. */
  #tail: Buffer = Buffer.alloc(0)

  constructor(maxBytes: number, listener: LineListener) {
    this.#maxBytes = maxBytes
    this.#listener = listener
  }

  /** The chunk is not kept. */
  push(chunk: Buffer): void {
    let from = 0
    for (;;) {
      const end = chunk.indexOf(newline, from)
      if (end < 0) break
      this.#end(chunk.subarray(from, end))
      from = end + 1
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from))
  }

  #end(last: Buffer): void {
    if (this.#bytes === 0 && last.length <= this.#maxBytes)
      return this.#listener.onLine(last.toString('utf8'))
    this.#keep(last)
    const bytes = this.#bytes
    const line = this.#line
    const tail = this.#tail
    this.#line = Buffer.alloc(0)
    this.#bytes = 0
    this.#tail = Buffer.alloc(0)
    if (bytes <= this.#maxBytes) return this.#listener.onLine(line.toString('utf8', 0, bytes))
    const head = line.toString('utf8', 0, Math.min(bytes, endBytes))
    this.#listener.onSkipped({ bytes, head, tail: tail.toString('utf8') })
  }

  #keep(part: Buffer): void {
    const before = this.#bytes
    this.#bytes += part.length
    if (this.#bytes <= this.#maxBytes) return this.#append(part, before)
    if (before <= this.#maxBytes) {
      // Too long: from here on, only its two ends are kept.
      this.#tail = Buffer.from(this.#line.subarray(Math.max(0, before - endBytes), before))
      this.#append(part.subarray(0, Math.max(0, endBytes - before)), before)
      this.#line = Buffer.from(this.#line.subarray(0, endBytes))
    }
    this.#tail = Buffer.from(Buffer.concat([this.#tail, part.subarray(-endBytes)]).subarray(-endBytes))
    if (this.#bytes > maxSkippedBytes) this.#listener.onEndless?.(this.#bytes)
  }

  #append(part: Buffer, at: number): void {
    const needed = at + part.length
    if (needed > this.#line.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, firstCapacity, 2 * this.#line.length))
      this.#line.copy(larger, 0, 0, at)
      this.#line = larger
    }
    part.copy(this.#line, at)
  }
}
