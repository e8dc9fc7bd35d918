import { isMutant } from './mutation.ts'

const maxLine = 16_000_000

/** Splits bytes into lines. A line that is too long ends the stream, because its rest cannot be told from the next one. */
export class LineReader {
  #rest: Buffer[] = []
  #length = 0
  readonly #onLine: (line: string) => void
  readonly #onOverflow: () => void

  constructor(onLine: (line: string) => void, onOverflow: () => void) {
    this.#onLine = onLine
    this.#onOverflow = onOverflow
  }

  add(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#rest.push(chunk.subarray(start, end))
      start = end + 1
      const bytes = Buffer.concat(this.#rest)
      this.#rest = []
      this.#length = 0
      this.#onLine(
        isMutant('servers-in-strict-utf8')
          ? new TextDecoder('utf-8', { fatal: true }).decode(bytes)
          : bytes.toString(),
      )
    }
    const rest = chunk.subarray(start)
    this.#rest.push(rest)
    this.#length += rest.length
    if (this.#length <= maxLine || isMutant('lines-are-unbounded')) return
    if (isMutant('long-lines-throw')) throw new Error('a server sent a line that is too long')
    this.#rest = []
    this.#onOverflow()
  }
}
