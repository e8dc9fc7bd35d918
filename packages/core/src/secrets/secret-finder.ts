import { CompactText, hasSpecial, minCompactLength } from './compact-text.ts'
import { FormFinder, type Match } from './form-finder.ts'

/** What is remembered of longer pieces outlives the young generation of the heap, which then grows by a hundred megabytes. */
const pieceLength = 4_096

/** Finds secrets in any of their forms, also if they are wrapped or indented. */
export class SecretFinder {
  readonly #plain = new FormFinder()
  readonly #compact = new FormFinder()

  add(form: string, replacement: string): void {
    this.#plain.add(form, replacement)
    const compact = new CompactText(form).text
    if (compact.length < minCompactLength) return
    this.#compact.add(compact, replacement)
    // Text without line breaks is searched only with the plain finder.
    if (compact !== form) this.#plain.add(compact, replacement)
  }

  /** Returns the same string if there is nothing to redact. */
  hide(text: string): string {
    return this.#redact(text, true)[0]
  }

  /** Splits off the end of a string that may be the beginning of a secret. */
  split(text: string): [ready: string, pending: string] {
    return this.#redact(text, false)
  }

  /** In pieces, because what a search remembers grows with the number of line breaks and escapes. */
  #redact(text: string, isComplete: boolean): [ready: string, pending: string] {
    let ready = ''
    let copied = 0
    let at = 0
    for (let end = pieceLength; ; end += pieceLength) {
      const piece = text.slice(at, end)
      const isLast = end >= text.length
      const [hidden, pending] = isLast && isComplete ? [this.#hidePiece(piece), ''] : this.#splitPiece(piece)
      const next = at + piece.length - pending.length
      if (hidden !== text.slice(at, next)) {
        ready += text.slice(copied, at) + hidden
        copied = next
      }
      at = next
      if (isLast) break
    }
    return [copied === 0 ? text.slice(0, at) : ready + text.slice(copied, at), text.slice(at)]
  }

  #hidePiece(text: string): string {
    const next = this.#search(text, hasSpecial(text) ? new CompactText(text) : null)
    let hidden = ''
    let from = 0
    for (let match = next(0); match !== null; match = next(from)) {
      hidden += text.slice(from, match.start) + match.replacement
      from = match.end
    }
    return from === 0 ? text : hidden + text.slice(from)
  }

  #splitPiece(text: string): [ready: string, pending: string] {
    const compact = compactBeginning(text)
    const next = this.#search(text, compact)
    let ready = ''
    let from = 0
    let end = this.#partialMatchStart(text, compact, 0)
    for (let match = next(0); match !== null && match.start < end; match = next(from)) {
      ready += text.slice(from, match.start) + match.replacement
      from = match.end
      if (from > end) end = this.#partialMatchStart(text, compact, from)
    }
    return [ready + text.slice(from, end), text.slice(end)]
  }

  /** A text that may end with the beginning of a secret, with that part replaced by `…` if it is too long to be shown. */
  preview(text: string, isSilent: boolean): string {
    let end = this.#plain.showableLength(text, isSilent)
    // Its end may be the beginning of an escape, or not.
    for (const compact of [new CompactText(text, true), new CompactText(text)]) {
      const length = this.#compact.showableLength(compact.text, isSilent)
      if (length < compact.text.length) end = Math.min(end, compact.origin(length))
    }
    return end === text.length ? this.hide(text) : `${this.hide(text.slice(0, end))}…`
  }

  /** Returns a function that finds the first match from a position, the longest if several begin there. Call it with increasing positions. */
  #search(text: string, compact: CompactText | null): (from: number) => Match | null {
    const inPlain = memoize((from) => this.#plain.next(text, from))
    if (compact === null) return inPlain
    const inCompact = memoize((from) => {
      const match = this.#compact.next(compact.text, compact.position(from))
      if (match === null) return null
      const { start, end, replacement } = match
      return { start: Math.max(from, compact.origin(start)), end: compact.end(end), replacement }
    })
    return (from) => firstOf(inPlain(from), inCompact(from))
  }

  #partialMatchStart(text: string, compact: CompactText | null, from: number): number {
    const start = this.#plain.partialMatchStart(text, from)
    if (compact === null) return start
    const position = this.#compact.partialMatchStart(compact.text, compact.position(from))
    const inCompact = position === compact.text.length ? compact.escapeStart : compact.origin(position)
    return Math.max(from, compact.pieceStart(Math.min(start, inCompact)))
  }
}

/** Text to which more may be added. */
function compactBeginning(text: string): CompactText | null {
  return hasSpecial(text) || /[ \t]$/.test(text) ? new CompactText(text, true) : null
}

/** Searches again only once the last match has been passed. */
function memoize(next: (from: number) => Match | null): (from: number) => Match | null {
  let found: Match | null | undefined
  return (from) => {
    if (found === undefined || (found !== null && found.start < from)) found = next(from)
    return found
  }
}

function firstOf(a: Match | null, b: Match | null): Match | null {
  if (a === null || b === null) return a ?? b
  if (a.start !== b.start) return a.start < b.start ? a : b
  return a.end >= b.end ? a : b
}
