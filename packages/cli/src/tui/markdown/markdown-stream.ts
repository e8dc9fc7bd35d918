import { BlockSplitter } from './block-splitter.ts'
import { cleanText } from './clean-text.ts'
import type { MarkdownBlock } from './markdown-block.ts'

/** A longer line is not kept until its end, because it would be parsed again for each piece of it that arrives. */
const maxLineLength = 2_000
/** The start of a line that is nothing yet: shown as text, it would flicker when the rest arrives. */
const unclear = /^[ \t]*(?:[-=*+_~`#>|: ]+|\d{1,9}[.)]?)$/

/** Splits Markdown that arrives in pieces into blocks that no longer change. The blocks do not depend on the pieces. */
export class MarkdownStream {
  readonly #splitter = new BlockSplitter()
  /** The line that has not ended. */
  #line = ''
  /** The start of the line has been added already. */
  #isContinued = false

  push(text: string): void {
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#line += text.slice(start, end)
      start = end + 1
      this.#endLine()
    }
    this.#line += text.slice(start)
    this.#splitLongLine()
  }

  /** The blocks that have been finished since the last call. */
  takeFinished(): MarkdownBlock[] {
    return this.#splitter.takeFinished()
  }

  /** The block that may still change. */
  get pending(): MarkdownBlock | undefined {
    const line = cleanText(this.#line.replace(/[\r\ud800-\udbff]$/, ''))
    return this.#splitter.pending(line === '' || unclear.test(line) ? undefined : line)
  }

  /** The text is complete, so all blocks are. */
  end(): void {
    if (this.#line !== '') this.#endLine()
    this.#splitter.end()
  }

  #endLine(): void {
    this.#splitLongLine()
    this.#add(this.#line.replace(/\r$/, ''))
    this.#line = ''
    this.#isContinued = false
  }

  #splitLongLine(): void {
    while (this.#line.length > maxLineLength) {
      const space = this.#line.lastIndexOf(' ', maxLineLength)
      const end =
        space > maxLineLength / 2
          ? space
          : maxLineLength - (isHighSurrogate(this.#line, maxLineLength - 1) ? 1 : 0)
      this.#add(this.#line.slice(0, end))
      this.#line = this.#line.slice(end)
      this.#isContinued = true
    }
  }

  #add(raw: string): void {
    // A lone carriage return is a line break as well.
    const [first = '', ...rest] = cleanText(raw).split('\n')
    if (this.#isContinued) this.#splitter.appendToLine(first)
    else this.#splitter.addLine(first)
    for (const line of rest) this.#splitter.addLine(line)
  }
}

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xd800 && code <= 0xdbff
}
