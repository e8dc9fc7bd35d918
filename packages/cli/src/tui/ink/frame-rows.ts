import { widthOf } from '../../terminal.ts'

/* biome-ignore-start lint/suspicious/noControlCharactersInRegex: control sequences */
const token = /\x1b\[([?>]?[\d;]*)([A-Za-z])|(\n)|(\r)|([^\x1b\n\r]+)/g
/* biome-ignore-end lint/suspicious/noControlCharactersInRegex: control sequences */

/**
 * Knows how wide the rows of the live region are, from what Ink writes. A terminal that becomes narrower wraps the rows that do not fit any
 * more, and Ink, which erases the region row by row, would leave the rest of them on the screen.
 */
export class FrameRows {
  /** The columns used, by row. Rows are counted from an arbitrary one. */
  readonly #widths = new Map<number, number>()
  #x = 0
  #y = 0
  /** The first row of the region. */
  #top = 0

  /** Follows one write of Ink: a part of a frame, or what is printed above it. */
  write(data: string): void {
    let top = this.#y
    let hasText = false
    for (const [, parameters, command, lineFeed, carriageReturn, text] of data.matchAll(token)) {
      if (command !== undefined) this.#control(command, parameters!)
      else if (lineFeed !== undefined) this.#move(0, this.#y + 1)
      else if (carriageReturn !== undefined) this.#x = 0
      else {
        hasText = true
        this.#x += widthOf(text!)
        this.#widths.set(this.#y, Math.max(this.#width, this.#x))
      }
      top = Math.min(top, this.#y)
    }
    // The last write of a frame begins in its first row.
    if (!hasText) return
    this.#top = top
    for (const row of this.#widths.keys()) if (row < top) this.#widths.delete(row)
  }

  /** How many rows more the region needs above the cursor, and in its row, if the terminal has only so many columns. */
  extraRows(columns: number): number {
    let extra = 0
    for (const [row, width] of this.#widths)
      if (row >= this.#top && row < this.#y) extra += Math.max(0, Math.ceil(width / columns) - 1)
    return extra + Math.floor(Math.min(this.#x, this.#width) / columns)
  }

  get #width(): number {
    return this.#widths.get(this.#y) ?? 0
  }

  #control(command: string, parameters: string): void {
    const count = Number(parameters) || 1
    switch (command) {
      case 'A':
        return this.#move(this.#x, this.#y - count)
      case 'B':
        return this.#move(this.#x, this.#y + count)
      case 'C':
        return this.#move(this.#x + count, this.#y)
      case 'D':
        return this.#move(Math.max(0, this.#x - count), this.#y)
      case 'E':
        return this.#move(0, this.#y + count)
      case 'G':
        return this.#move(count - 1, this.#y)
      case 'J':
        for (const row of this.#widths.keys()) if (row > this.#y) this.#widths.delete(row)
        return this.#cut()
      case 'K':
        return parameters === '2' ? void this.#widths.delete(this.#y) : this.#cut()
    }
  }

  #cut(): void {
    if (this.#width > this.#x) this.#widths.set(this.#y, this.#x)
  }

  #move(x: number, y: number): void {
    this.#x = x
    this.#y = y
  }
}
