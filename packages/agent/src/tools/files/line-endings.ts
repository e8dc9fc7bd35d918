export type LineEnding = '\n' | '\r\n'

/** `null` if the text has both, or no line ending at all. */
export function lineEndingOf(text: string): LineEnding | null {
  const crlf = text.split('\r\n').length - 1
  const all = text.split('\n').length - 1
  if (all === 0 || (crlf > 0 && crlf < all)) return null
  return crlf > 0 ? '\r\n' : '\n'
}

/** The ending of most lines. */
export function mainLineEnding(text: string): LineEnding {
  const crlf = text.split('\r\n').length - 1
  return crlf * 2 > text.split('\n').length - 1 ? '\r\n' : '\n'
}

export function withLineEnding(text: string, ending: LineEnding): string {
  const unified = text.replaceAll('\r\n', '\n')
  return ending === '\n' ? unified : unified.replaceAll('\n', ending)
}

/** A text with line feeds only, in which positions of the original can be found. */
export class UnifiedText {
  readonly text: string
  /** Where a carriage return was removed, as positions in `text`. */
  readonly #removed: readonly number[]

  constructor(original: string) {
    const parts = original.split('\r\n')
    let position = 0
    this.#removed = parts.slice(0, -1).map((part) => {
      const at = position + part.length
      position = at + 1
      return at
    })
    this.text = parts.join('\n')
  }

  /** The position in the original. */
  original(position: number): number {
    let low = 0
    let high = this.#removed.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#removed[middle]! < position) low = middle + 1
      else high = middle
    }
    return position + low
  }
}
