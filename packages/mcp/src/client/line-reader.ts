/** What an oversized line leaves: enough of both ends to tell which request it answered. */
export interface SkippedLine {
  readonly bytes: number
  readonly head: string
  readonly tail: string
}

interface LineListener {
  onLine(line: string): void
  onSkipped(line: SkippedLine): void
  /** So much has come of one line that it may never end. */
  onEndless(bytes: number): void
}

const endBytes = 512
/** How much of a line that is too long is read over, in the hope that it ends. */
const mostSkippedBytes = 100 << 20
const newline = 10

/** Cuts a stream of bytes into lines, and never holds more of one than it may have. */
export class LineReader {
  readonly #mostBytes: number
  readonly #listener: LineListener
  /** The beginning of a line whose end has not come yet. */
  #parts: Buffer[] = []
  #bytes = 0
  #tail: Buffer = Buffer.alloc(0)

  constructor(mostBytes: number, listener: LineListener) {
    this.#mostBytes = mostBytes
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
    const bytes = this.#bytes + last.length
    if (bytes > this.#mostBytes) {
      this.#keep(last)
      const head = Buffer.concat(this.#parts).toString('utf8', 0, endBytes)
      const skipped = { bytes, head, tail: this.#tail.toString('utf8') }
      this.#clear()
      return this.#listener.onSkipped(skipped)
    }
    const line =
      this.#parts.length === 0
        ? last.toString('utf8')
        : Buffer.concat([...this.#parts, last]).toString('utf8')
    if (this.#parts.length > 0) this.#clear()
    this.#listener.onLine(line)
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length
    if (this.#bytes <= this.#mostBytes) {
      this.#parts.push(Buffer.from(part))
      return
    }
    if (this.#bytes > mostSkippedBytes) this.#listener.onEndless(this.#bytes)
    // Too long to be kept: from here on only its two ends are.
    if (this.#tail.length === 0) {
      const head = Buffer.concat([...this.#parts, part.subarray(0, endBytes)])
      this.#parts = [Buffer.from(head.subarray(0, endBytes))]
    }
    this.#tail = Buffer.from(Buffer.concat([this.#tail, part.subarray(-endBytes)]).subarray(-endBytes))
  }

  #clear(): void {
    this.#parts = []
    this.#bytes = 0
    this.#tail = Buffer.alloc(0)
  }
}
