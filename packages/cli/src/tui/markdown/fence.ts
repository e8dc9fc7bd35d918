/** The start of a fenced code block: indentation, fence, language. A fence of backticks has none in the rest of the line. */
const fenceStart = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/

/** The start of a fenced code block. */
export class Fence {
  readonly start: string
  readonly end: string
  readonly #mark: string

  private constructor(indent: string, mark: string, language: string) {
    this.start = indent + mark + language
    this.end = indent + mark
    this.#mark = mark
  }

  /** The fence of a code block that may get more lines. */
  static openIn(block: string): Fence | undefined {
    const lines = block.replace(/\n$/, '').split('\n')
    const [, indent = '', mark, info = ''] = fenceStart.exec(lines[0]!) ?? []
    if (mark === undefined) return undefined
    // The rest of the line is not shown.
    const fence = new Fence(indent, mark, info.trim().split(/\s/)[0]!.slice(0, 40))
    return lines.length > 1 && fence.#isEndedBy(lines.at(-1)!) ? undefined : fence
  }

  #isEndedBy(line: string): boolean {
    const [, mark = ''] = /^ {0,3}(`+|~+) *$/.exec(line) ?? []
    return mark.startsWith(this.#mark)
  }
}
