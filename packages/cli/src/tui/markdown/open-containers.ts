import { Fence } from './fence-block.ts'
import { continuationMark } from './render-tokens.ts'

interface OpenItem {
  readonly column: number
  readonly marker: string
  /** The column where its content starts. */
  readonly content: number
}

const nestedMarker = /^([*+-]|\d{1,9}[.)])( +|$)/
const maxItems = 20

/** The nested list items, and the fence, that the end of a list item is in: what a block that continues it has to repeat. */
export class OpenContainers {
  readonly #items: OpenItem[]
  #fence: Fence | undefined
  #wasBlank = false

  constructor(item: OpenItem, content: string) {
    this.#items = [item]
    this.#enter(content, item.content)
  }

  get isInFence(): boolean {
    return this.#fence !== undefined
  }

  /** The column where the content of the innermost item starts. */
  get column(): number {
    return this.#items.at(-1)!.content
  }

  isFenceEnd(line: string): boolean {
    return this.#fence?.isEndedBy(line.trimStart()) ?? false
  }

  /** `line` has spaces instead of tabs at its start. */
  add(line: string): void {
    const column = line.search(/[^ ]/)
    if (column < 0) {
      this.#wasBlank = true
      return
    }
    if (this.#leaveFor(line, column)) this.#enter(line.slice(column), column)
    else if (this.isFenceEnd(line)) this.#fence = undefined
    this.#wasBlank = false
  }

  /** The lines that lead a parser to the place where `line` belongs. */
  startFor(line: string): string[] {
    this.#leaveFor(line, line.search(/[^ ]/))
    const items = this.#items.map(
      ({ column, marker, content }) =>
        ' '.repeat(column) + marker + ' '.repeat(content - column - marker.length) + continuationMark,
    )
    const fence = this.#fence === undefined ? [] : [' '.repeat(this.column) + this.#fence.start]
    return [...items, '', ...fence]
  }

  /** Closes what the line is not in. Returns false if it only continues code or text. */
  #leaveFor(line: string, column: number): boolean {
    const text = line.slice(column)
    if (this.#fence !== undefined && column >= this.column) return false
    this.#fence = undefined
    const isText = !nestedMarker.test(text) && Fence.startedBy(text) === undefined
    // A line of text may be indented less than the paragraph that it continues.
    if (isText && !this.#wasBlank) return false
    while (this.#items.length > 1 && column < this.column) this.#items.pop()
    return true
  }

  #enter(text: string, column: number): void {
    const [, marker, spaces = ''] = nestedMarker.exec(text) ?? []
    if (marker !== undefined && this.#items.length < maxItems) {
      const width = marker.length + (spaces.length > 4 || spaces === '' ? 1 : spaces.length)
      this.#items.push({ column, marker, content: column + width })
      this.#enter(text.slice(width), column + width)
    } else this.#fence = Fence.startedBy(text)
  }
}
