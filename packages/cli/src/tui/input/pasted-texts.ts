import { groupDigits } from '../../group-digits.ts'
import { count } from '../../terminal.ts'
import { firstMarker, markerCount } from './clean-input.ts'

/** A long paste, shown as its label. */
export interface PastedText {
  readonly label: string
  readonly text: string
}

const maxVisibleLines = 5
const maxVisibleLength = 1_000
export const maxPasteLength = 1_000_000
const markers = /[\ufdd0-\ufdef]/g

export function isLongPaste(text: string): boolean {
  return text.length > maxVisibleLength || countLines(text) > maxVisibleLines
}

/** Long pastes. In the text, each is one character that does not occur otherwise, so that the cursor treats it as one unit. */
export class PastedTexts {
  /** By marker. A new map after each change. */
  #byMarker: ReadonlyMap<string, PastedText> = new Map()

  get byMarker(): ReadonlyMap<string, PastedText> {
    return this.#byMarker
  }

  /** Returns the marker; `null` if there are too many or they are too long. `used` are all texts with markers that are still needed. */
  add(text: string, used: () => Iterable<string>): string | null {
    if (this.#byMarker.size === markerCount || this.#length() + text.length > maxPasteLength)
      this.#keep(used())
    if (this.#byMarker.size === markerCount || this.#length() + text.length > maxPasteLength) return null
    const marker = this.#freeMarker()
    const number = Math.max(0, ...Array.from(this.#byMarker.values(), numberOf)) + 1
    this.#byMarker = new Map([...this.#byMarker, [marker, { label: labelOf(text, number), text }]])
    return marker
  }

  /** Replaces the markers by the pasted text. */
  expand(text: string): string {
    return this.#byMarker.size === 0
      ? text
      : text.replace(markers, (marker) => this.#byMarker.get(marker)?.text ?? '')
  }

  clear(): void {
    if (this.#byMarker.size > 0) this.#byMarker = new Map()
  }

  #keep(used: Iterable<string>): void {
    const needed = new Set<string>()
    for (const text of used) for (const marker of text.match(markers) ?? []) needed.add(marker)
    this.#byMarker = new Map([...this.#byMarker].filter(([marker]) => needed.has(marker)))
  }

  #length(): number {
    let length = 0
    for (const { text } of this.#byMarker.values()) length += text.length
    return length
  }

  #freeMarker(): string {
    let code = firstMarker
    while (this.#byMarker.has(String.fromCharCode(code))) code++
    return String.fromCharCode(code)
  }
}

function labelOf(text: string, number: number): string {
  const lines = countLines(text)
  const size = lines > 1 ? count(lines, 'line') : `${groupDigits(text.length)} characters`
  return `[pasted ${size} #${number}]`
}

function numberOf({ label }: PastedText): number {
  return Number(label.slice(label.lastIndexOf('#') + 1, -1))
}

/** A line break at the end does not start another line. */
function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < text.length - 1; at = text.indexOf('\n', at + 1))
    lines++
  return lines
}
