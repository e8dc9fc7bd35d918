import { Fence, FenceBlock } from './fence-block.ts'
import { IndentedBlock } from './indented-block.ts'
import { blank, headingStart, indentedStart, itemStart, quoteStart, rule } from './line-patterns.ts'
import { ListItemBlock } from './list-item-block.ts'
import type { MarkdownBlock } from './markdown-block.ts'
import type { OpenBlock } from './open-block.ts'
import { QuoteBlock } from './quote-block.ts'
import { type BlockKind, continuationMark, needsGap } from './render-tokens.ts'
import { TextBlock } from './text-block.ts'

/** Splits the lines of a document into blocks that can be parsed one by one. Items of a list are blocks as well. */
export class BlockSplitter {
  #finished: MarkdownBlock[] = []
  #open: OpenBlock | undefined
  #hasGap = false
  /** Empty lines since the last block. */
  #isSpaced = false
  #lastKind: BlockKind | undefined
  /** The list that the next item may belong to. */
  #list: { readonly type: string; readonly next: number } | undefined

  addLine(line: string): void {
    let verdict = this.#open?.add(line) ?? 'refused'
    if (verdict === 'full') {
      this.#continueBlock(line)
      verdict = this.#open!.add(line)
    }
    if (verdict === 'added') return
    this.#finishBlock()
    if (verdict === 'closed') return
    if (blank.test(line)) this.#isSpaced = true
    else this.#startBlock(line)
  }

  /** Adds the rest of a line that was too long to wait for its end. */
  appendToLine(text: string): void {
    if (this.#open === undefined) this.#openBlock(new TextBlock(continuationMark), false)
    if (this.#open!.append(text) !== 'full') return
    this.#continueBlock(text)
    this.#open!.append(text)
  }

  end(): void {
    this.#finishBlock()
  }

  takeFinished(): MarkdownBlock[] {
    const finished = this.#finished
    this.#finished = []
    return finished
  }

  /** The open block, with the line that has not ended. */
  pending(partial: string | undefined): MarkdownBlock | undefined {
    if (this.#open !== undefined) return { ...this.#toBlock(this.#open, partial), isPending: true }
    if (partial === undefined || partial.trim() === '') return undefined
    return { source: partial, hasGap: this.#needsGap(kindOf(partial)), isPending: true }
  }

  #startBlock(line: string): void {
    const item = itemStart.exec(line)
    const isItem = item !== null && !rule.test(line) && !indentedStart.test(line)
    if (!isItem) this.#list = undefined
    const fence = Fence.startedBy(line)
    if (indentedStart.test(line)) this.#openBlock(new IndentedBlock())
    else if (fence !== undefined) return this.#openBlock(new FenceBlock(fence))
    else if (headingStart.test(line)) return this.#addLineBlock(line, 'heading')
    else if (rule.test(line)) return this.#addLineBlock(line, 'other')
    else if (quoteStart.test(line)) this.#openBlock(new QuoteBlock())
    else if (isItem) return this.#openBlock(ListItemBlock.startedBy(line, this.#nextNumber(item[2]!)))
    else this.#openBlock(new TextBlock())
    this.#open!.add(line)
  }

  /** Items are numbered from the first one on, whatever the others say. */
  #nextNumber(marker: string): number | undefined {
    const type = marker.at(-1)!
    const isNumbered = marker.length > 1
    const number = this.#list?.type === type ? this.#list.next : isNumbered ? Number.parseInt(marker, 10) : 0
    this.#list = { type, next: number + 1 }
    return isNumbered ? number : undefined
  }

  #addLineBlock(source: string, kind: BlockKind): void {
    this.#finished.push({ source, hasGap: this.#needsGap(kind) })
    this.#lastKind = kind
    this.#isSpaced = false
  }

  #openBlock(block: OpenBlock, hasGap = this.#needsGap(block.kind)): void {
    this.#open = block
    this.#hasGap = hasGap
    this.#isSpaced = false
  }

  #needsGap(kind: BlockKind): boolean {
    return this.#lastKind !== undefined && (this.#isSpaced || needsGap(this.#lastKind, kind))
  }

  #continueBlock(line: string): void {
    const { block, hasGap } = this.#open!.continuation(line)
    this.#finishBlock()
    this.#openBlock(block, hasGap)
  }

  #finishBlock(): void {
    const block = this.#open
    if (block === undefined) return
    this.#open = undefined
    this.#isSpaced = block.endsBlank
    if (block.isEmpty) return
    this.#finished.push(this.#toBlock(block))
    this.#lastKind = block.kind
  }

  #toBlock(block: OpenBlock, partial?: string): MarkdownBlock {
    const { number } = block
    return {
      source: block.source(partial),
      hasGap: this.#hasGap,
      ...(number === undefined ? {} : { number }),
    }
  }
}

/** What a line would start. */
function kindOf(line: string): BlockKind {
  if (Fence.startedBy(line) !== undefined || indentedStart.test(line)) return 'code'
  return headingStart.test(line) ? 'heading' : 'other'
}
