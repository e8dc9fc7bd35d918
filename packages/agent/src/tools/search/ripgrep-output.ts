import { cutLine, type FoundLine, maxLineLength } from './found-line.ts'
import type { MatchCollector } from './match-collector.ts'

const lineFeed = 0x0a
const dot = 0x2e
const dash = 0x2d
const maxPendingBytes = 32 * 2 ** 20

interface CurrentFile {
  readonly path: string
  /** What ripgrep writes after the matches of a file that turns out to be binary. */
  readonly warning: Buffer
  readonly isAccepted: boolean
  readonly isCounted: boolean
  count: number
  readonly lines: FoundLine[]
}

/**
 * Reads the output of `rg --heading --null --line-number --column ./` with NUL as `--field-match-separator`: per file its path and a NUL, then
 * a number, a NUL and, if there is one, the column and a NUL before a match, or a number and a dash before context. Paths start with a dot,
 * lines with a digit, and text contains no NUL, so it is unambiguous.
 */
export class RipgrepOutput {
  readonly #collector: MatchCollector
  readonly #max: number
  #pending: Buffer[] = []
  #pendingBytes = 0
  #file: CurrentFile | null = null

  constructor(collector: MatchCollector, max: number) {
    this.#collector = collector
    this.#max = max
  }

  /** The chunk may be reused by the caller afterwards. */
  push(chunk: Buffer): void {
    const last = this.#pending.at(-1)
    // A long line, which is joined only once.
    if (last !== undefined && this.#pending[0]![0] !== dot && !chunk.includes(lineFeed)) {
      this.#pending.push(Buffer.from(chunk))
      this.#pendingBytes += chunk.length
      if (this.#pendingBytes > maxPendingBytes) this.#dropLine()
      return
    }
    const bytes = last === undefined ? chunk : Buffer.concat([...this.#pending, chunk])
    const read = this.#read(bytes)
    this.#pending = read === bytes.length ? [] : [Buffer.from(bytes.subarray(read))]
    this.#pendingBytes = bytes.length - read
  }

  end(): void {
    this.#finishFile()
  }

  /** Only a file that is too large to be searched has such a line. */
  #dropLine(): void {
    this.#file = null
    this.#pending.length = 1
    this.#pendingBytes = this.#pending[0]!.length
  }

  /** How many bytes were complete. */
  #read(bytes: Buffer): number {
    let at = 0
    while (at < bytes.length) {
      const warningLength = this.#warningLength(bytes, at)
      const isPath = bytes[at] === dot && warningLength === 0
      const end = bytes.indexOf(isPath ? 0 : lineFeed, at + warningLength)
      if (end < 0) break
      // The matches were found before the file turned out to be binary.
      if (warningLength > 0) this.#file = null
      else if (isPath) this.#startFile(bytes.toString('utf8', at + 2, end), bytes.subarray(at, end))
      else this.#readLine(bytes, at, end)
      at = end + 1
    }
    return at
  }

  /** 0 if this is not a warning about the current file. */
  #warningLength(bytes: Buffer, at: number): number {
    if (bytes[at] !== dot || this.#file === null) return 0
    const { warning } = this.#file
    return bytes.subarray(at, at + warning.length).equals(warning) ? warning.length : 0
  }

  #startFile(path: string, raw: Buffer): void {
    this.#finishFile()
    const { cutoff } = this.#collector
    this.#file = {
      path,
      warning: Buffer.concat([raw, Buffer.from(': WARNING: stopped searching binary file')]),
      isAccepted: this.#collector.accepts(path),
      isCounted: cutoff !== null && path > cutoff,
      count: 0,
      lines: [],
    }
  }

  #readLine(bytes: Buffer, from: number, end: number): void {
    const file = this.#file
    if (file === null || !file.isAccepted || from === end) return
    let at = from
    let number = 0
    for (; bytes[at]! >= 0x30 && bytes[at]! <= 0x39; at++) number = number * 10 + bytes[at]! - 0x30
    const isMatch = bytes[at] === 0
    if (at === from || (!isMatch && bytes[at] !== dash)) return
    if (isMatch) file.count++
    if (file.isCounted || file.count > this.#max) return
    const columnEnd = isMatch ? bytes.subarray(at + 1, end).indexOf(0) : -1
    const start = at + columnEnd + 2
    const text = bytes.toString('utf8', start, end)
    const column = columnEnd < 0 ? 1 : Number(bytes.toString('latin1', at + 1, start - 1))
    // Only the position in a long line matters.
    const matchAt =
      end - start <= maxLineLength ? 0 : bytes.toString('utf8', start, start + column - 1).length
    file.lines.push({ number, text: cutLine(text, matchAt), isMatch })
  }

  #finishFile(): void {
    const file = this.#file
    this.#file = null
    if (file === null || file.count === 0) return
    const { path, count, lines } = file
    this.#collector.add({ path, count, lines })
  }
}
