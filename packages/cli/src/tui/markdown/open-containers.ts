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
    const text = line.slice(column)
    const wasBlank = this.#wasBlank
    this.#wasBlank = false
    if (this.#fence !== undefined) {
      const isInside = column >= this.column
      if (this.#fence.isEndedBy(text)) this.#fence = undefined
      if (isInside) return
      this.#fence = undefined
    }
    const isText = !nestedMarker.test(text) && Fence.startedBy(text) === undefined
    // A line of text may be indented less than the paragraph that it continues.
    if (isText && !wasBlank) return
    while (this.#items.length > 1 && column < this.column) this.#items.pop()
    this.#enter(text, column)
  }

  /** The lines that lead a parser to the same place. */
  start(): string[] {
    const items = this.#items.map(
      ({ column, marker, content }) =>
        ' '.repeat(column) + marker + ' '.repeat(content - column - marker.length) + continuationMark,
    )
    const indent = ' '.repeat(this.column)
    return [...items, '', ...(this.#fence === undefined ? [] : [indent + this.#fence.start])]
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
