import { Fence } from './fence-block.ts'
import { blank, fenceStart, headingStart, itemStart, quoteStart, rule } from './line-patterns.ts'
import { LineBlock, type OpenBlock, type Verdict } from './open-block.ts'

const quoteMark = /^ {0,3}> ?/

/** Lines that start with `>`, and the text that continues the last of them. */
export class QuoteBlock extends LineBlock implements OpenBlock {
  readonly kind = 'other'
  readonly endsBlank = false
  readonly #head: readonly string[]
  #fence: Fence | undefined
  /** Only text can be continued by a line without `>`. */
  #endsWithText = false

  constructor(fence?: Fence) {
    super()
    this.#fence = fence
    this.#head = fence === undefined ? [] : [`> ${fence.start}`]
  }

  add(line: string): Verdict {
    if (blank.test(line)) return 'refused'
    const isQuoted = quoteStart.test(line)
    if (!isQuoted && (startsBlock(line) || !this.#endsWithText)) return 'refused'
    if (isQuoted && this.isFull) return 'full'
    this.push(line)
    if (isQuoted) this.#track(line.replace(quoteMark, ''))
    return 'added'
  }

  protected override appendFirst(text: string): Verdict {
    return this.add(`> ${text}`)
  }

  source(partial?: string): string {
    return [...this.#head, ...this.lines, ...(partial === undefined ? [] : [partial])].join('\n')
  }

  continuation(): { block: OpenBlock; hasGap: boolean } {
    const isSpaced = this.#fence === undefined && blank.test(this.lines.at(-1)!.replace(quoteMark, ''))
    return { block: new QuoteBlock(this.#fence), hasGap: isSpaced }
  }

  #track(content: string): void {
    const wasFence = this.#fence !== undefined
    if (this.#fence === undefined) this.#fence = Fence.startedBy(content)
    else if (this.#fence.isEndedBy(content)) this.#fence = undefined
    this.#endsWithText = !wasFence && this.#fence === undefined && /[^> \t]/.test(content)
  }
}

function startsBlock(line: string): boolean {
  return headingStart.test(line) || fenceStart.test(line) || rule.test(line) || itemStart.test(line)
}
