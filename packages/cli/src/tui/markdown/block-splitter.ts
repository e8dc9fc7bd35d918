import type { Token, Tokens } from 'marked'
import { endOfBlock } from './block-end.ts'
import { Fence } from './fence.ts'
import type { MarkdownBlock } from './markdown-block.ts'
import { type BlockKind, continuationMark, kindOf, needsGap } from './render-tokens.ts'
import { blocksOf, outlineOf } from './safe-lexer.ts'

/** A block of this size is rendered, so that the part of the screen that changes stays small. */
const maxLines = 48
const maxLength = 4_000
/** The columns of a table are as wide as its rows need, so it stays in one piece for longer. */
const maxTableLines = 100
/** From here on, a fence is split where a new part of the program starts. */
const minFenceLines = 24
const blank = /^[ \t]*$/

/** Splits the lines of a document into blocks that can be parsed one by one. Items of a list are blocks as well. */
export class BlockSplitter {
  #finished: MarkdownBlock[] = []
  /** The lines of the block that may still change. */
  #open = ''
  /** Set if the open block continues one that was too long: whether they are separated, and the length of what is repeated. */
  #continued: { readonly hasGap: boolean; readonly headLength: number } | undefined
  /** Empty lines since the last block. */
  #isSpaced = false
  #blankLines = 0
  #lastKind: BlockKind | undefined
  /** The list that the next item may belong to. */
  #list: { readonly type: string; readonly next: number } | undefined

  addLine(line: string): void {
    this.#blankLines = blank.test(line) ? this.#blankLines + 1 : 0
    if (this.#blankLines > 0 && this.#open === '') this.#isSpaced = true
    else if (this.#blankLines <= maxLines || Fence.openIn(this.#open) !== undefined) {
      this.#open += `${this.#withCodeIndent(line)}\n`
      this.#update(false)
    }
  }

  /** Adds the rest of a line that was too long to wait for its end. */
  appendToLine(text: string): void {
    if (this.#open === '') return this.#continue(continuationMark, text, false)
    const block = blocksOf(this.#open).findLast(({ type }) => type !== 'space')!
    const size = this.#open.length - this.#headLength
    const isFull = size >= (block.type === 'table' ? 2 : 1) * maxLength
    if (!isFull || !this.#split(block, this.#open, text)) this.#open = `${this.#open.slice(0, -1)}${text}\n`
  }

  end(): void {
    this.#update(true)
  }

  takeFinished(): MarkdownBlock[] {
    const finished = this.#finished
    this.#finished = []
    return finished
  }

  /** The open block, with the line that has not ended. */
  pending(partial: string = ''): MarkdownBlock | undefined {
    const text = this.#open + this.#withCodeIndent(partial)
    const block = outlineOf(text).find(({ type }) => type !== 'space')
    return block === undefined ? undefined : { ...this.#toBlock(text, block), isPending: true }
  }

  get #headLength(): number {
    return this.#continued?.headLength ?? 0
  }

  /** Tabs in code in an item are as wide as at the start of a line, not only up to the next multiple of four columns. */
  #withCodeIndent(line: string): string {
    const [indent] = /^[ \t]*/.exec(line)!
    if (!indent.includes('\t')) return line
    const [block] = blocksOf(this.#open + line)
    if (block?.type !== 'list') return line
    const { closing = '', lead = '' } = endOfBlock(block) ?? {}
    const isInside = closing !== '' && indent.startsWith(lead)
    return isInside ? indent.replaceAll('\t', '    ') + line.slice(indent.length) : line
  }

  /** Finishes the blocks that no other line can change. */
  #update(isEnd: boolean): void {
    const text = this.#open
    const tokens = outlineOf(text)
    const last = tokens.findLast(({ type }) => type !== 'space')
    let at = 0
    for (const token of tokens) {
      const parts = partsOf(token)
      for (const [index, part] of parts.entries()) {
        if (!isEnd && token === last && index === parts.length - 1 && !isClosed(token, text)) {
          this.#open = text.slice(at)
          return this.#splitIfFull(token)
        }
        if (token.type !== 'space') this.#finish(part, token)
        at += part.length
        this.#isSpaced = endsBlank(text.slice(0, at))
      }
    }
    this.#open = ''
  }

  #finish(source: string, token: Token): void {
    const block = this.#toBlock(source, token)
    this.#push(block, token)
    this.#continued = undefined
    if (token.type !== 'list') this.#list = undefined
    else this.#list = { type: markerOf(source).at(-1)!, next: (block.number ?? 0) + 1 }
  }

  #push(block: MarkdownBlock, token: Token): void {
    this.#finished.push(block)
    this.#lastKind = kindOf(token)
  }

  #splitIfFull(block: Token): void {
    const lines = this.#open.slice(this.#headLength).split('\n').slice(0, -1)
    const line = lines.pop()!
    const size = lines.reduce((sum, { length }) => sum + length + 1, 0)
    if (!isFull(block, lines, size, line, this.#continued !== undefined)) return
    const start = this.#open.slice(0, -line.length - 1)
    // The outline does not tell what the item of a list or a deep quote contains.
    const isOutline = block.type === 'list' || block.type === 'html'
    this.#split(isOutline ? blocksOf(this.#open)[0]! : block, start, line)
  }

  /** Finishes `start`, the start of the open block. Returns false if the block cannot be split. */
  #split(block: Token, start: string, line: string): boolean {
    const end = endOfBlock(block)
    if (end === undefined) return false
    const { number, hasGap } = this.#toBlock(start, block)
    const source = end.closing === '' ? start.trimEnd() : start + end.closing
    this.#push({ source, hasGap, ...(number === undefined ? {} : { number }) }, block)
    if (block.type === 'table') {
      // The rest of a table repeats its header.
      this.#continue(/^.*\n.*\n/.exec(start)![0], line, true)
    } else if (/^(?:code|blockquote|list)$/.test(block.type)) {
      const isIndented = line.startsWith(end.lead) || /^ *[\t>]/.test(line)
      const isBlank = block.type === 'blockquote' ? /\n[> \t]*\n$/.test(start) : endsBlank(start)
      const isSpaced = end.closing === '' && isBlank
      this.#continue(end.head, isIndented ? line : end.lead + line.trimStart(), isSpaced)
    } else this.#continue(continuationMark, line.trimStart(), false)
    return true
  }

  #continue(head: string, line: string, hasGap: boolean): void {
    this.#open = `${head}${line}\n`
    this.#continued = { hasGap, headLength: head.length }
  }

  #toBlock(text: string, token: Token): MarkdownBlock {
    const fence = token.type === 'code' ? Fence.openIn(text) : undefined
    const number = token.type === 'list' ? this.#numberOf(markerOf(text)) : undefined
    const isSeparate =
      this.#lastKind !== undefined && (this.#isSpaced || needsGap(this.#lastKind, kindOf(token)))
    return {
      // With an end, so that empty lines before it are kept.
      source: fence === undefined ? text.trimEnd() : `${text.replace(/\n$/, '')}\n${fence.end}`,
      hasGap: this.#continued?.hasGap ?? isSeparate,
      ...(number === undefined ? {} : { number }),
    }
  }

  /** Items are numbered from the first one on, whatever the others say. */
  #numberOf(marker: string): number | undefined {
    if (marker.length === 1) return undefined
    return this.#list !== undefined && marker.endsWith(this.#list.type)
      ? this.#list.next
      : Number.parseInt(marker, 10)
  }
}

/** The text of a token; of a list, that of its items. */
function partsOf(token: Token): string[] {
  if (token.type !== 'list') return [token.raw]
  const parts = (token as Tokens.List).items.slice(0, -1).map(({ raw }) => raw)
  return [...parts, token.raw.slice(parts.join('').length)]
}

function markerOf(item: string): string {
  return /[*+-]|\d+[.)]/.exec(item)![0]
}

/** Returns true if the last block of a text has ended. */
function isClosed(token: Token, text: string): boolean {
  if (token.type === 'heading' || token.type === 'hr') return true
  if (token.type === 'list') return false
  if (token.type !== 'code') return endsBlank(text)
  return (token as Tokens.Code).codeBlockStyle !== 'indented' && Fence.openIn(token.raw) === undefined
}

function endsBlank(text: string): boolean {
  return /\n[ \t]*\n[ \t]*$/.test(text)
}

/** Returns true if a block should be split before its last line. */
function isFull(
  block: Token,
  lines: readonly string[],
  size: number,
  line: string,
  isContinued: boolean,
): boolean {
  const isBlank = blank.test(line)
  if (block.type === 'table') return lines.length >= maxTableLines || size >= 2 * maxLength
  if (Fence.openIn(block.raw) === undefined)
    return !isBlank && (lines.length >= maxLines || size >= maxLength)
  // Each part is highlighted on its own, so it should not start in the middle of a comment or a string.
  const count = isContinued ? lines.length : lines.length - 1
  if (count >= 2 * maxLines || size >= maxLength || (count >= maxLines && isBlank)) return true
  return count >= minFenceLines && blank.test(lines.at(-1)!) && /^[\w@#<]/.test(line)
}
