import type { BlockKind } from './render-tokens.ts'

/**
 * What became of a line: it was `added`; it was added and is the last one (`closed`); it belongs to the next block (`refused`);
 * or it belongs to this block, which is long enough, so it goes to the block that continues it (`full`).
 */
export type Verdict = 'added' | 'closed' | 'refused' | 'full'

/** A block that may get more lines. The work for a line does not depend on how many there are. */
export interface OpenBlock {
  readonly kind: BlockKind
  readonly number?: number | undefined
  /** Lines of its own, apart from those that repeat the start of the block that it continues. */
  readonly isEmpty: boolean
  /** The last lines are empty; they separate it from the next block. */
  readonly endsBlank: boolean
  add(line: string): Verdict
  /** Adds the rest of a line that was too long to wait for its end. */
  append(text: string): Verdict
  /** `partial` is a line that has not ended. */
  source(partial?: string): string
  /** The block for `line` and those after it, and whether there is an empty line between the blocks. */
  continuation(line: string): { block: OpenBlock; hasGap: boolean }
}

/** A block of this size is rendered, so that the part of the screen that changes stays small. */
export const maxLines = 48
export const maxLength = 4_000

/** A block that is made of lines, and its size. */
export abstract class LineBlock {
  protected readonly lines: string[] = []
  protected size = 0

  get isEmpty(): boolean {
    return this.lines.length === 0
  }

  append(text: string): Verdict {
    if (this.isFull) return 'full'
    if (this.isEmpty) return this.appendFirst(text)
    this.lines[this.lines.length - 1] += text
    this.size += text.length
    return 'added'
  }

  protected get isFull(): boolean {
    return this.lines.length >= maxLines || this.size >= maxLength
  }

  protected push(line: string): Verdict {
    this.lines.push(line)
    this.size += line.length + 1
    return 'added'
  }

  /** The rest of a line that began in the block before. */
  protected abstract appendFirst(text: string): Verdict
}
