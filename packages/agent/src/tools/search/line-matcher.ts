import type { SearchedText } from './searched-text.ts'

/** What to search for, as it is sent to the threads. */
export interface LineQuery {
  /** The string to search for; `null` if `plain` and `full` are expressions. */
  readonly literal: string | null
  /** Every matching line contains one of them; `null` if unknown. */
  readonly required: readonly string[] | null
  /** For ASCII text without carriage returns. */
  readonly plain: string
  /** For all other text. */
  readonly full: string
  readonly flags: string
}

/** Finds the lines that match a query, in files that were read into memory. */
export class LineMatcher {
  readonly #query: LineQuery
  readonly #needles: readonly Buffer[] | null
  readonly #plain: RegExp
  readonly #full: RegExp

  constructor(query: LineQuery) {
    this.#query = query
    const strings = query.literal === null ? query.required : [query.literal]
    this.#needles = strings?.map((text) => Buffer.from(text)) ?? null
    this.#plain = new RegExp(query.plain, query.flags)
    this.#full = new RegExp(query.full, query.flags)
  }

  /** False if no line can match. Much faster than decoding the text. */
  mayMatch(bytes: Buffer): boolean {
    if (this.#needles === null) return true
    // The needles are UTF-8.
    const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
    return isUtf16 || this.#needles.some((needle) => bytes.includes(needle))
  }

  /** Where the next match starts; -1 if there is none. `from` is the start of a line. */
  next({ text, isPlain }: SearchedText, from: number): number {
    const { literal, required } = this.#query
    if (literal !== null) return text.indexOf(literal, from)
    const expression = isPlain ? this.#plain : this.#full
    if (required?.length !== 1) {
      expression.lastIndex = from
      return expression.exec(text)?.index ?? -1
    }
    for (let start = from; ; ) {
      const candidate = text.indexOf(required[0]!, start)
      if (candidate < 0) return -1
      const lineStart = startOfLine(text, candidate)
      const lineEnd = endOfLine(text, candidate)
      expression.lastIndex = 0
      const found = expression.exec(text.slice(lineStart, lineEnd))
      if (found !== null) return lineStart + found.index
      start = lineEnd + 1
    }
  }
}

export function startOfLine(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}

export function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}
