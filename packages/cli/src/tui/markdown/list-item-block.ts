import { fenceStart, headingStart, htmlStart, itemStart, quoteStart, rule } from './line-patterns.ts'
import { LineBlock, maxLines, type OpenBlock, type Verdict } from './open-block.ts'
import { OpenContainers } from './open-containers.ts'

interface ItemState {
  readonly number: number | undefined
  /** The column where the content starts. */
  readonly content: number
  readonly containers: OpenContainers
  readonly head: readonly string[]
}

/** List items and quotes at the start of a line. */
const nestedMarkers = /^(?: {0,3}(?:(?:[*+-]|\d{1,9}[.)])[ \t]+|>[ \t]?))+/

/** An item of a list that is not inside of another one, with everything in it. Follows the rules of marked's `list`. */
export class ListItemBlock extends LineBlock implements OpenBlock {
  readonly kind = 'other'
  readonly number: number | undefined
  readonly #state: ItemState
  /** The last line, without the indentation of the item. */
  #previous = ''
  #wasLazy = false
  #wasBlank = false
  #blanks = 0

  private constructor(state: ItemState) {
    super()
    this.#state = state
    this.number = state.number
  }

  /** `line` matches `itemStart`. */
  static startedBy(line: string, number: number | undefined): ListItemBlock {
    const [, indent = '', marker = ''] = itemStart.exec(line)!
    const markerEnd = indent.length + marker.length
    const rest = expandIndent(line.slice(markerEnd), markerEnd)
    const spaces = rest.search(/[^ ]/)
    const content = markerEnd + (spaces < 0 || spaces > 4 ? 1 : spaces)
    const containers = new OpenContainers(
      { column: indent.length, marker, content },
      rest.slice(content - markerEnd),
    )
    const block = new ListItemBlock({ number, content, containers, head: [] })
    block.push(line)
    block.#previous = rest
    block.#wasBlank = rest.trim() === ''
    return block
  }

  get endsBlank(): boolean {
    return this.#blanks > 0
  }

  add(line: string): Verdict {
    const isBlank = line.trim() === ''
    if (isBlank) return this.#addBlank(line)
    const expanded = expandIndent(this.#withCodeIndent(line))
    const column = expanded.search(/[^ ]/)
    if (this.#isBlockBefore(line)) return 'refused'
    const isLazy = column < this.#state.content
    if (isLazy && this.#cannotContinue()) return 'refused'
    if (this.isFull && !this.#state.containers.isFenceEnd(expanded)) return 'full'
    this.push(expanded)
    this.#state.containers.add(expanded)
    this.#previous = expanded.slice(this.#state.content)
    this.#wasLazy = isLazy
    this.#wasBlank = false
    this.#blanks = 0
    return 'added'
  }

  protected override appendFirst(text: string): Verdict {
    return this.add(' '.repeat(this.#state.content) + text)
  }

  source(partial?: string): string {
    const { head } = this.#state
    const lines = this.lines.slice(0, partial === undefined ? this.lines.length - this.#blanks : undefined)
    return [...head, ...lines, ...(partial === undefined ? [] : [this.#withCodeIndent(partial)])].join('\n')
  }

  continuation(line: string): { block: OpenBlock; hasGap: boolean } {
    const { containers } = this.#state
    const block = new ListItemBlock({ ...this.#state, head: containers.startFor(expandIndent(line)) })
    block.#previous = this.#previous
    block.#wasLazy = this.#wasLazy
    block.#wasBlank = this.#wasBlank
    return { block, hasGap: this.endsBlank && !containers.isInFence }
  }

  protected override get isFull(): boolean {
    // The parser drops empty lines at the end, which would be missing in code.
    if (this.#state.containers.isInFence && this.#blanks > 0 && this.lines.length < 2 * maxLines) return false
    return super.isFull
  }

  #addBlank(line: string): Verdict {
    // An item starts with at most one empty line.
    const isSecond = this.lines.length === 1 && this.#state.head.length === 0 && this.#wasBlank
    if (this.#blanks >= maxLines) return 'added'
    this.push(line)
    this.#state.containers.add('')
    this.#blanks++
    this.#previous = ''
    this.#wasBlank = true
    return isSecond ? 'closed' : 'added'
  }

  /** A block that is indented less than the content of the item. */
  #isBlockBefore(line: string): boolean {
    const column = line.search(/[^ ]/)
    if (column > 3 || column >= this.#state.content) return false
    return quoteStart.test(line) || itemStart.test(line) || isBlockWithoutText(line)
  }

  /** Only text can be continued by a line with less indentation. */
  #cannotContinue(): boolean {
    const previous = this.#previous.replaceAll('\t', '    ')
    if (this.#wasBlank) return true
    if (previous.search(/[^ ]/) >= 4 || isBlockWithoutText(previous)) return true
    return !this.#wasLazy && isBlockWithoutText(previous.replace(nestedMarkers, ''))
  }

  /** Tabs in code are as wide as at the start of a line, not only up to the next multiple of four columns. */
  #withCodeIndent(line: string): string {
    const { containers } = this.#state
    if (!containers.isInFence || !line.includes('\t')) return line
    const [indent] = /^[ \t]*/.exec(line)!
    const isInside = indent.slice(0, containers.column) === ' '.repeat(containers.column)
    return isInside ? indent.replaceAll('\t', '    ') + line.slice(indent.length) : line
  }
}

function isBlockWithoutText(line: string): boolean {
  return headingStart.test(line) || fenceStart.test(line) || htmlStart.test(line) || rule.test(line)
}

/** Replaces tabs at the start by spaces up to the next multiple of four columns. */
function expandIndent(line: string, column = 0): string {
  const [indent] = /^[ \t]*/.exec(line)!
  if (!indent.includes('\t')) return line
  let width = column
  for (const character of indent) width += character === '\t' ? 4 - (width % 4) : 1
  return ' '.repeat(width - column) + line.slice(indent.length)
}
