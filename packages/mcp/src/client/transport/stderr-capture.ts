/** How much is kept of the beginning, and of the end: the cause of a failure may be far before the end. */
const keptBytes = 16_384
/** Longer than most secrets: one that was cut could not be redacted, so this much is removed next to the cut. */
const marginLength = 1_024

/** The beginning and end of a server's stderr, in bounded memory. */
export class StderrCapture {
  #head: Buffer = Buffer.alloc(0)
  #tail: Buffer = Buffer.alloc(0)
  #isCut = false

  append(chunk: Buffer): void {
    const room = keptBytes - this.#head.length
    if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)])
    const rest = Buffer.concat([this.#tail, chunk.subarray(room).subarray(-keptBytes)])
    this.#isCut ||= this.#tail.length + Math.max(0, chunk.length - room) > keptBytes
    this.#tail = rest.subarray(-keptBytes)
  }

  toString(redact: (text: string) => string): string {
    if (!this.#isCut) return redact(Buffer.concat([this.#head, this.#tail]).toString('utf8'))
    const [head, tail] = [this.#head, this.#tail].map((part) => redact(part.toString('utf8')))
    return `${head!.slice(0, -marginLength)}\n...\n${tail!.slice(marginLength)}`
  }
}
