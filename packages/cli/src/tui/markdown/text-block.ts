import {
  blank,
  indentedStart,
  interruptsText,
  isHtml,
  referenceStart,
  rule,
  tableDelimiter,
  underline,
} from './line-patterns.ts'
import { LineBlock, maxLength, type OpenBlock, type Verdict } from './open-block.ts'
import { continuationMark } from './render-tokens.ts'

/** The columns of a table are as wide as its rows need, so it stays in one piece for longer. */
const maxTableLines = 100

const itemAfterTable = /^ {0,3}(?:[*+-]|1[.)])[ \t]/

/** A paragraph, a table, HTML, or a heading with a line below it: everything that ends with an empty line. */
export class TextBlock extends LineBlock implements OpenBlock {
  readonly kind = 'other'
  readonly endsBlank = false
  readonly #prefix: string
  readonly #head: readonly string[]
  /** The first two lines of a table. */
  #tableHead: readonly string[] = []

  constructor(prefix = '', head: readonly string[] = []) {
    super()
    this.#prefix = prefix
    this.#head = head
    this.#tableHead = head
  }

  add(line: string): Verdict {
    if (blank.test(line)) return 'refused'
    if (this.isEmpty) return this.push(line)
    if (interruptsText(line)) return 'refused'
    if (referenceStart.test(this.lines[0]!) && !referenceStart.test(line)) return 'refused'
    const isTable = this.#tableHead.length > 0
    if (isTable && (indentedStart.test(line) || itemAfterTable.test(line))) return 'refused'
    const isMarkup = isHtml(this.lines[0]!)
    if (isMarkup && rule.test(line)) return 'refused'
    if (!isMarkup && underline.test(line) && !(isTable && line.includes('='))) {
      this.push(line)
      return 'closed'
    }
    if (this.isFull) return 'full'
    if (!isTable && !isMarkup && tableDelimiter.test(line)) this.#tableHead = [this.lines.at(-1)!, line]
    return this.push(line)
  }

  source(partial?: string): string {
    const lines = [...this.#head, ...this.lines, ...(partial === undefined ? [] : [partial])]
    return this.#prefix + lines.join('\n')
  }

  /** The rest of a table repeats its header, the rest of a paragraph starts on a new line. */
  continuation(): { block: OpenBlock; hasGap: boolean } {
    if (this.#tableHead.length > 0) return { block: new TextBlock('', this.#tableHead), hasGap: true }
    return { block: new TextBlock(continuationMark), hasGap: false }
  }

  protected override get isFull(): boolean {
    if (this.#tableHead.length > 0) return this.lines.length >= maxTableLines || this.size >= 2 * maxLength
    return super.isFull
  }

  protected override appendFirst(text: string): Verdict {
    return this.push(text.trimStart())
  }
}
