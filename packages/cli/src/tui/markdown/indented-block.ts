import { blank, indentedStart } from './line-patterns.ts'
import { maxLength, maxLines, type OpenBlock, type Verdict } from './open-block.ts'

/** Code that is indented by four columns. */
export class IndentedBlock implements OpenBlock {
  readonly kind = 'code'
  readonly #lines: string[] = []
  /** Empty lines, which are part of the code if more of it follows. */
  #blanks: string[] = []
  #size = 0

  get isEmpty(): boolean {
    return this.#lines.length === 0
  }

  get endsBlank(): boolean {
    return this.#blanks.length > 0
  }

  add(line: string): Verdict {
    if (blank.test(line)) {
      if (this.#blanks.length < maxLines) this.#blanks.push(line)
      return 'added'
    }
    if (!indentedStart.test(line)) return 'refused'
    if (this.#lines.length >= maxLines || this.#size >= maxLength) return 'full'
    this.#lines.push(...this.#blanks, line)
    this.#size += line.length + this.#blanks.length + 1
    this.#blanks = []
    return 'added'
  }

  append(text: string): Verdict {
    return this.add(`    ${text}`)
  }

  source(partial?: string): string {
    return [...this.#lines, ...(partial === undefined ? [] : [...this.#blanks, partial])].join('\n')
  }

  continuation(): { block: OpenBlock; hasGap: boolean } {
    return { block: new IndentedBlock(), hasGap: this.endsBlank }
  }
}
