import { blank, fenceStart } from './line-patterns.ts'
import { maxLength, maxLines, type OpenBlock, type Verdict } from './open-block.ts'

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

  static startedBy(line: string): Fence | undefined {
    const [, indent = '', mark, info = ''] = fenceStart.exec(line) ?? []
    // The rest of the line is not shown.
    return mark === undefined ? undefined : new Fence(indent, mark, info.trim().split(/\s/)[0]!.slice(0, 40))
  }

  isEndedBy(line: string): boolean {
    const [, mark = ''] = /^ {0,3}(`+|~+) *$/.exec(line) ?? []
    return mark.startsWith(this.#mark)
  }
}

/** From here on, a fence is split where a new part of the program starts. */
const minLines = 24

/** Code between fences. */
export class FenceBlock implements OpenBlock {
  readonly kind = 'code'
  readonly endsBlank = false
  readonly #fence: Fence
  readonly #lines: string[] = []
  /** Of a block that continues another one, only lines of code count. */
  readonly #isContinuation: boolean
  #size = 0

  constructor(fence: Fence, isContinuation = false) {
    this.#fence = fence
    this.#isContinuation = isContinuation
  }

  get isEmpty(): boolean {
    return this.#isContinuation && this.#lines.length === 0
  }

  add(line: string): Verdict {
    if (this.#fence.isEndedBy(line)) return 'closed'
    if (this.#shouldSplitBefore(line)) return 'full'
    this.#lines.push(line)
    this.#size += line.length + 1
    return 'added'
  }

  append(text: string): Verdict {
    if (this.#size >= maxLength) return 'full'
    this.#lines.push(text)
    this.#size += text.length + 1
    return 'added'
  }

  /** With an end, so that empty lines before it are kept. */
  source(partial?: string): string {
    const { start, end } = this.#fence
    return [start, ...this.#lines, ...(partial === undefined ? [] : [partial]), end].join('\n')
  }

  continuation(): { block: OpenBlock; hasGap: boolean } {
    return { block: new FenceBlock(this.#fence, true), hasGap: false }
  }

  /** Each part is highlighted on its own, so it should not start in the middle of a comment or a string. */
  #shouldSplitBefore(line: string): boolean {
    const count = this.#lines.length
    if (count >= 2 * maxLines || this.#size >= maxLength) return true
    if (count >= maxLines && blank.test(line)) return true
    return count >= minLines && blank.test(this.#lines[count - 1]!) && /^[\w@#<]/.test(line)
  }
}
