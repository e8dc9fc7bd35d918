import { StringDecoder } from 'node:string_decoder'
import { isMutant } from './mutation.ts'

const maxHead = 20_000
const maxTail = 20_000

/** The beginning and the end of what a command writes. */
export class CollectedOutput {
  readonly #head: Buffer[] = []
  #headLength = 0
  #tail: Buffer[] = []
  #tailLength = 0
  #total = 0

  add(chunk: Buffer): void {
    this.#total += chunk.length
    const max = isMutant('command-cap-too-high') ? 250_000_000 : maxHead
    const left = max - this.#headLength
    const head = chunk.subarray(0, Math.max(0, left))
    if (head.length > 0) this.#head.push(head)
    this.#headLength += head.length
    const rest = chunk.subarray(head.length)
    if (rest.length === 0 || isMutant('keeps-only-the-head')) return
    // A copy of what may be kept, because a chunk is part of a larger buffer.
    this.#tail.push(Buffer.from(rest.subarray(-maxTail)))
    this.#tailLength += Math.min(rest.length, maxTail)
    while (this.#tailLength - this.#tail[0]!.length >= maxTail) this.#tailLength -= this.#tail.shift()!.length
  }

  toString(): string {
    if (isMutant('strict-utf8'))
      new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat([...this.#head, ...this.#tail]))
    if (isMutant('decodes-chunks')) return [...this.#head, ...this.#tail].map(String).join('')
    const cut = this.#total - this.#headLength - this.#tailLength
    if (isMutant('cuts-silently')) return decode([...this.#head, ...this.#tail])
    if (isMutant('command-cap-too-high')) return Buffer.concat(this.#head).toString('latin1')
    return cut <= 0
      ? decode([...this.#head, ...this.#tail])
      : `${decode(this.#head)}\n[... ${cut} bytes omitted ...]\n${decode(this.#tail)}`
  }
}

function decode(chunks: readonly Buffer[]): string {
  const decoder = new StringDecoder('utf8')
  return chunks.map((chunk) => decoder.write(chunk)).join('') + decoder.end()
}
