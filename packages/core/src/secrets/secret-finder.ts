import { CompactText } from './compact-text.ts'
import { FormFinder, type Match } from './form-finder.ts'

/** Shorter ones would be found where two lines meet by chance. */
const shortestCompact = 16

/** Finds secrets in a text, in any of their forms, also where they are wrapped or indented. */
export class SecretFinder {
  readonly #plain = new FormFinder()
  readonly #compact = new FormFinder()

  add(form: string, shown: string): void {
    this.#plain.add(form, shown)
    const compact = new CompactText(form).text
    if (compact.length < shortestCompact) return
    this.#compact.add(compact, shown)
    // A text without any line breaks is searched only once.
    if (compact !== form) this.#plain.add(compact, shown)
  }

  /** The same text if there is nothing to hide. */
  hide(text: string): string {
    const next = this.#search(text, hasBreaks(text) ? new CompactText(text) : null)
    let hidden = ''
    let from = 0
    for (let match = next(0); match !== null; match = next(from)) {
      hidden += text.slice(from, match.start) + match.shown
      from = match.end
    }
    return from === 0 ? text : hidden + text.slice(from)
  }

  /** What can be said now, and what may be the beginning of a secret. */
  split(text: string): [said: string, held: string] {
    const compact = hasBreaks(text) || /[ \t]$/.test(text) ? new CompactText(text, true) : null
    const next = this.#search(text, compact)
    let said = ''
    let from = 0
    let held = this.#heldFrom(text, compact, 0)
    for (let match = next(0); match !== null && match.start < held; match = next(from)) {
      said += text.slice(from, match.start) + match.shown
      from = match.end
      if (from > held) held = this.#heldFrom(text, compact, from)
    }
    return [said + text.slice(from, held), text.slice(held)]
  }

  /** Asked with growing positions: the first match from there on, and the longest of those that begin there. */
  #search(text: string, compact: CompactText | null): (from: number) => Match | null {
    const inPlain = memory((from) => this.#plain.next(text, from))
    if (compact === null) return inPlain
    const inCompact = memory((from) => {
      const match = this.#compact.next(compact.text, compact.position(from))
      if (match === null) return null
      const { start, end, shown } = match
      return { start: compact.origin(start), end: compact.origin(end - 1) + 1, shown }
    })
    return (from) => firstOf(inPlain(from), inCompact(from))
  }

  #heldFrom(text: string, compact: CompactText | null, from: number): number {
    const held = this.#plain.heldFrom(text, from)
    if (compact === null) return held
    const position = this.#compact.heldFrom(compact.text, compact.position(from))
    return position === compact.text.length ? held : Math.min(held, compact.origin(position))
  }
}

/** Otherwise it is compact already. */
function hasBreaks(text: string): boolean {
  return text.includes('\n') || text.includes('\\') || text.includes('\r')
}

/** Looks again only once it has been passed. */
function memory(next: (from: number) => Match | null): (from: number) => Match | null {
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
