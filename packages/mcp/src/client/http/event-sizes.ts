/** How large the event is that an event stream is in the middle of. */
export class EventSizes {
  #bytes = 0
  #tail: Buffer = Buffer.alloc(0)

  push(chunk: Uint8Array): number {
    // The blank line that ends an event may be cut in two.
    const seen = Buffer.concat([this.#tail, chunk])
    this.#tail = seen.subarray(-2)
    const end = endOfLastEvent(seen)
    this.#bytes = end === 0 ? this.#bytes + chunk.length : seen.length - end
    return this.#bytes
  }
}

function endOfLastEvent(bytes: Buffer): number {
  return Math.max(...blankLines.map((line) => after(bytes.lastIndexOf(line), line.length)))
}

function after(index: number, length: number): number {
  return index === -1 ? 0 : index + length
}

const blankLines = ['\n\n', '\n\r\n', '\r\r'].map((line) => Buffer.from(line))
