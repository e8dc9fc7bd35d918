/** So many characters of a result a model gets, where nobody says otherwise. */
export const defaultMaxContentLength = 65_536

/**
 * Keeps the beginning and the end of a text of any length in bounded memory.
 *
 * Appending costs O(1) per character, amortised; the text is put together only when it is read.
 */
export class HeadTail {
  readonly #headLimit: number
  readonly #tailLimit: number
  #head = ''
  #tail = ''
  /** How many characters were appended in all. */
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
      this.#head += detach(text, 0, cut)
      rest = text.slice(cut)
    }
    this.#tail =
      rest.length > this.#tailLimit ? detach(rest, rest.length - this.#tailLimit) : this.#tail + rest
    // Trim at twice the limit, not at every chunk, so that each character is copied once at the most.
    if (this.#tail.length > 2 * this.#tailLimit) {
      this.#tail = detach(this.#tail, this.#tail.length - this.#tailLimit)
    }
  }

  /** The end of what was appended, at most so many characters. */
  last(limit: number): string {
    const whole = this.length === this.#head.length + this.#tail.length
    const all = whole && this.#tail.length < limit ? this.#head + this.#tail : this.#tail
    return all.length > limit ? detach(all, all.length - limit) : all
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
  return `\n[... ${omitted.toLocaleString('en-US')} characters left out${where} ...]\n`
}

/** The head and the tail of a text, with a mark between them that says what is missing and where it is. */
export function capText(text: string, limit: number, where = ''): string {
  if (text.length <= limit) return text
  const room = limit - omissionMark(text.length, where).length
  if (room <= 0) return detach(text, 0, safeCut(text, limit))
  const headEnd = safeCut(text, Math.ceil(room / 2))
  const tailStart = text.length - Math.floor(room / 2)
  const tail = text.slice(isLowSurrogate(text, tailStart) ? tailStart + 1 : tailStart)
  return detach(text, 0, headEnd) + omissionMark(text.length - headEnd - tail.length, where) + detach(tail, 0)
}

/** Moves a cut that would split a surrogate pair one to the left. */
export function safeCut(text: string, at: number): number {
  const before = text.charCodeAt(at - 1)
  return before >= 0xd800 && before <= 0xdbff ? at - 1 : at
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}

/** A slice that does not keep the whole text alive, as a plain one would. */
export function detach(text: string, from: number, to: number = text.length): string {
  const start = from > 0 ? safeCut(text, from) : 0
  return Buffer.from(text.slice(start, to), 'utf16le').toString('utf16le')
}
