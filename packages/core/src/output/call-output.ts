import { isLowSurrogate, safeCut } from './head-tail.ts'
import type { OutputFile } from './output-file.ts'
import type { SpillDirectory } from './spill-directory.ts'

/** The maximum number of characters in memory, and the length of the blocks of the file. */
const blockLength = 16_384
const maxReadLength = 65_536

/** Part of a call's live output, as `runtime.readOutput` returns it. */
export interface OutputRead {
  readonly text: string
  /** The offset of `text`, in characters. One less than requested if that would split a surrogate pair. */
  readonly offset: number
  /** Where to continue reading. */
  readonly next: number
  /** The total number of characters so far. */
  readonly length: number
  /** The call has ended, so `length` is final. */
  readonly ended: boolean
  /** The number of characters at the end that were not kept, because they exceeded the limits or could not be written. */
  readonly dropped: number
  /** Where the output of each attempt begins; more than one after a retry with another key. */
  readonly attempts: readonly number[]
  /** The file that contains the output, if it is too long for memory. */
  readonly path?: string
}

/** The live output of a call. Beyond a bound, it is written to a file, so memory stays bounded and nothing is lost. */
export class CallOutput {
  readonly #name: string
  readonly #directory: SpillDirectory
  readonly #onError: (error: unknown) => void
  /** What is not in the file. */
  #text = ''
  #file: OutputFile | null = null
  #attempts: readonly number[] = [0]
  #ended = false
  /** The file could not be read any more. */
  #lost = false
  /** The total number of characters. */
  length = 0
  /** Line breaks that are no longer in `#text`. */
  #passedLines = 0
  #dropped = 0
  #droppedBytes = 0

  constructor(name: string, directory: SpillDirectory, onError: (error: unknown) => void) {
    this.#name = name
    this.#directory = directory
    this.#onError = onError
  }

  get path(): string | null {
    return this.#file?.path ?? null
  }

  /** The total number of bytes, as UTF-8. Not counted chunk by chunk, because most chunks are short. */
  get bytes(): number {
    return (this.#file?.bytes ?? 0) + Buffer.byteLength(this.#text) + this.#droppedBytes
  }

  /** The total number of line breaks, counted in the same way. */
  get lines(): number {
    return this.#passedLines + countLines(this.#text)
  }

  /** Appends well-formed text. Returns its offset. */
  append(text: string): number {
    const offset = this.length
    this.length += text.length
    // What follows a gap is not kept either: readers rely on offsets.
    if (this.#dropped > 0) this.#countDropped(text)
    else {
      this.#text += text
      if (this.#text.length > blockLength) this.#spill(blockLength)
    }
    return offset
  }

  /** The tool runs again. */
  startAttempt(): void {
    this.#attempts = [...this.#attempts, this.length]
  }

  /** Releases the memory of output that has a file. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#file !== null) {
      if (this.#text !== '' && this.#dropped === 0) this.#spill(1)
      this.#file.end()
    }
    this.#text = copyText(this.#text)
  }

  async read(from: number): Promise<OutputRead> {
    const kept = this.length - this.#dropped
    const start = Math.min(from, kept)
    const end = Math.min(start + maxReadLength, kept)
    // One character before and after, to see whether a surrogate pair would be split.
    const before = Math.max(0, start - 1)
    const found = this.#lost ? null : await this.#slice(before, Math.min(end + 1, kept))
    if (found === null) return this.#result('', from, Math.max(from, this.length))
    const offset = isLowSurrogate(found, start - before) ? start - 1 : start
    const cut = isLowSurrogate(found, end - before) ? end - 1 : end
    const text = found.slice(offset - before, cut - before)
    if (text === '') return this.#result('', from, Math.max(from, this.length))
    return this.#result(text, offset, offset + text.length)
  }

  /** Removes the file. */
  remove(): void {
    void this.#file?.remove()
  }

  /** `null` if the file is gone. */
  async #slice(from: number, to: number): Promise<string | null> {
    const file = this.#file
    const fileLength = file?.length ?? 0
    // Taken before the file is read, because it may be written to the file meanwhile.
    const inMemory = to > fileLength ? this.#text.slice(Math.max(0, from - fileLength), to - fileLength) : ''
    if (file === null || from >= fileLength) return inMemory
    try {
      return (await file.read(from, Math.min(to, fileLength))) + inMemory
    } catch {
      this.#lost = true
      return null
    }
  }

  /** Writes everything except for an incomplete block of less than `minLength` characters. */
  #spill(minLength: number): void {
    let at = 0
    try {
      this.#file ??= this.#directory.createFile(this.#name)
      while (this.#text.length - at >= minLength) {
        const end = at + blockLength
        const cut = end < this.#text.length ? safeCut(this.#text, end) : this.#text.length
        if (!this.#file.append(this.#text.slice(at, cut))) return this.#drop(at)
        at = cut
      }
    } catch (error) {
      this.#onError(error)
      return this.#drop(at)
    }
    this.#passedLines += countLines(this.#text.slice(0, at))
    this.#text = copyText(this.#text.slice(at))
  }

  /** Keeps what still fits in memory. */
  #drop(from: number): void {
    this.#passedLines += countLines(this.#text.slice(0, from))
    const rest = this.#text.slice(from)
    const kept = rest.slice(0, rest.length > blockLength ? safeCut(rest, blockLength) : rest.length)
    this.#countDropped(rest.slice(kept.length))
    this.#text = copyText(kept)
  }

  #countDropped(text: string): void {
    this.#dropped += text.length
    this.#droppedBytes += Buffer.byteLength(text)
    this.#passedLines += countLines(text)
  }

  #result(text: string, offset: number, next: number): OutputRead {
    const { length, path } = this
    const dropped = this.#lost ? length : this.#dropped
    const read = { text, offset, next, length, ended: this.#ended, dropped, attempts: this.#attempts }
    return path === null || this.#lost ? read : { ...read, path }
  }
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** A slice would keep the whole string in memory. */
function copyText(text: string): string {
  return Buffer.from(text).toString()
}
