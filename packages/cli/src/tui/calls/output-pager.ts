import type { Runtime } from '@curfew/core'
import { LiveLines } from '../../call/live-lines.ts'
import { foldLine } from '../questions/fold-line.ts'
import { visibleOutput } from './printable-text.ts'

/** In characters. */
const blockLength = 16_384
/** A block begins and ends at a line break if there is one within this distance. */
const maxOverlap = 4_096
/** More are loaded again. */
const maxBlocks = 12
const unavailable = 'The output is no longer available.'

type OutputRead = NonNullable<Awaited<ReturnType<Runtime['readOutput']>>>

interface Block {
  /** The output's length when it was read. */
  readonly length: number
  readonly text: string
  readonly lines: readonly string[]
}

/**
 * The live output of a call in lines, of which only the blocks around the visible part are in memory, however long it is. A block
 * begins at a multiple of `blockLength`, so that any part can be read without the parts before it.
 */
export class OutputPager {
  readonly #read: (from: number) => ReturnType<Runtime['readOutput']>
  readonly #onLoad: () => void
  /** The most recently used is the last one. */
  readonly #blocks = new Map<number, Block>()
  readonly #loading = new Set<number>()
  #width = 80
  #length = 0
  #pending = ''

  constructor(runtime: Pick<Runtime, 'readOutput'>, uid: number, onLoad: () => void) {
    this.#read = (from) => runtime.readOutput(uid, from)
    this.#onLoad = onLoad
  }

  /** Sets the width of the lines, the number of characters so far, and what is shown after them for now. */
  update(width: number, length: number, pending: string): void {
    this.#length = length
    this.#pending = pending
    if (width === this.#width) return
    this.#width = width
    for (const [index, block] of this.#blocks)
      this.#blocks.set(index, { ...block, lines: this.#format(block.text) })
  }

  get blockCount(): number {
    return Math.ceil((this.#length + this.#pending.length) / blockLength)
  }

  /** The lines of a block; `null` until it is loaded, which this starts. A block that has grown since is loaded again. */
  lines(index: number): readonly string[] | null {
    const block = this.#blocks.get(index)
    if (block === undefined || isOutdated(index, block, this.#length)) void this.#load(index)
    if (block === undefined) return null
    this.#blocks.delete(index)
    this.#blocks.set(index, block)
    const isLast = index === this.blockCount - 1
    return isLast && this.#pending !== '' ? this.#format(block.text + this.#pending) : block.lines
  }

  async #load(index: number): Promise<void> {
    if (this.#loading.has(index)) return
    this.#loading.add(index)
    const length = this.#length
    const text = await this.#read(index * blockLength).then(
      (read) => (read === null ? unavailable : blockText(read, index === 0)),
      () => unavailable,
    )
    this.#loading.delete(index)
    this.#blocks.delete(index)
    this.#blocks.set(index, { length, text, lines: this.#format(text) })
    for (const oldest of this.#blocks.keys()) if (this.#blocks.size > maxBlocks) this.#blocks.delete(oldest)
    this.#onLoad()
  }

  #format(text: string): readonly string[] {
    const live = new LiveLines()
    const lines = live.push(text).split('\n')
    lines.pop()
    if (text !== '' && !text.endsWith('\n')) lines.push(live.partial)
    return lines.flatMap((line) => foldLine(visibleOutput(line), this.#width))
  }
}

/** What was read for the last block, or shortly before its end, may have been the beginning of a line. */
function isOutdated(index: number, block: Block, length: number): boolean {
  return block.length < length && block.length < (index + 1) * blockLength + maxOverlap
}

/** From the first line that begins in a block to the end of the last one. */
function blockText({ text, dropped }: OutputRead, isFirst: boolean): string {
  if (text === '' && dropped > 0) return `${dropped} characters were not kept.`
  return text.slice(isFirst ? 0 : boundary(text, 0), boundary(text, blockLength))
}

/** The end of the line at this offset; the offset itself if the line is very long. */
function boundary(text: string, at: number): number {
  if (at >= text.length) return text.length
  const end = text.indexOf('\n', at)
  return end < 0 || end > at + maxOverlap ? at : end + 1
}
