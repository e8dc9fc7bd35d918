/** The default maximum length of a result's `content`, in characters. */
export const defaultMaxContentLength = 65_536

/**
 * Keeps the beginning and end of a string of any length in bounded memory.
 *
 * Appending is O(1) per character, amortized; the parts are joined only when they are read.
 */
export class HeadTail {
  readonly #headLimit: number
  readonly #tailLimit: number
  #head = ''
  #tail = ''
  /** The total number of characters that were appended. */
  length = 0

  constructor(limit: number) {
    this.#headLimit = Math.ceil(limit / 2)
    this.#tailLimit = Math.floor(limit / 2)
  }

  append(text: string): void {
    this.length += text.length
    const room = this.#headLimit - this.#head.length
    if (room >= text.length && this.#tail === '') {
      this.#head += text
      return
    }
    let rest = text
    if (room > 0 && this.#tail === '') {
      const cut = safeCut(text, room)
      this.#head += copySlice(text, 0, cut)
      rest = text.slice(cut)
    }
    this.#tail =
      rest.length > this.#tailLimit ? copySlice(rest, rest.length - this.#tailLimit) : this.#tail + rest
    // Trimmed at twice the limit instead of at every chunk, so that each character is copied at most once.
    if (this.#tail.length > 2 * this.#tailLimit) {
      this.#tail = copySlice(this.#tail, this.#tail.length - this.#tailLimit)
    }
  }

  /** The last characters that were appended, at most `limit`. */
  last(limit: number): string {
    const whole = this.length === this.#head.length + this.#tail.length
    const all = whole && this.#tail.length < limit ? this.#head + this.#tail : this.#tail
    return all.length > limit ? copySlice(all, all.length - limit) : all
  }

  toString(): string {
    const tail =
      this.#tail.length > this.#tailLimit
        ? this.#tail.slice(safeCut(this.#tail, this.#tail.length - this.#tailLimit))
        : this.#tail
    const omitted = this.length - this.#head.length - tail.length
    return omitted === 0 ? this.#head + tail : this.#head + omissionMark(omitted) + tail
  }
}

export function omissionMark(omitted: number, where = ''): string {
  return `\n[... ${omitted.toLocaleString('en-US')} characters omitted${where} ...]\n`
}

/** The beginning and end of a string, with the number of omitted characters and where to find them in between. */
export function capText(text: string, limit: number, where = ''): string {
  if (text.length <= limit) return text
  const room = limit - omissionMark(text.length, where).length
  if (room <= 0) return copySlice(text, 0, safeCut(text, limit))
  const headEnd = safeCut(text, Math.ceil(room / 2))
  const tailStart = text.length - Math.floor(room / 2)
  const tail = text.slice(isLowSurrogate(text, tailStart) ? tailStart + 1 : tailStart)
  return (
    copySlice(text, 0, headEnd) +
    omissionMark(text.length - headEnd - tail.length, where) +
    copySlice(tail, 0)
  )
}

/** Moves a cut to the left if it would split a surrogate pair. */
export function safeCut(text: string, at: number): number {
  const before = text.charCodeAt(at - 1)
  return before >= 0xd800 && before <= 0xdbff ? at - 1 : at
}

export function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}

/** A slice that does not keep the whole string in memory, as `slice` would. */
export function copySlice(text: string, from: number, to: number = text.length): string {
  const start = from > 0 ? safeCut(text, from) : 0
  return Buffer.from(text.slice(start, to), 'utf16le').toString('utf16le')
}
