import type { CallRow, Runtime } from '@curfew/core'
import type { Theme } from '../theme/theme.ts'
import { callDetailLines } from './call-detail-lines.ts'
import type { CallRecord, CallRecords } from './call-records.ts'
import type { ListMove } from './list-state.ts'
import { OutputPager } from './output-pager.ts'

type ReadableRuntime = Pick<Runtime, 'getCall' | 'readOutput'>

export interface ScreenSize {
  readonly width: number
  /** Of the part between the title and the line with the keys. */
  readonly height: number
  readonly theme: Theme
}

interface Header {
  readonly row: CallRow
  readonly record: CallRecord | undefined
  readonly width: number
  readonly theme: Theme
  readonly lines: readonly string[]
}

/** The lines of one call, from its details to the end of its output. */
export class ExpandedCall {
  readonly #runtime: ReadableRuntime
  readonly #records: CallRecords | undefined
  readonly uid: number
  readonly #pager: OutputPager
  #position: ScrollPosition = scrollStart
  #isFollowing = false
  #row: CallRow | undefined
  #lastHeader: Header | null = null

  constructor(runtime: ReadableRuntime, records: CallRecords | undefined, uid: number, onLoad: () => void) {
    this.#runtime = runtime
    this.#records = records
    this.uid = uid
    this.#pager = new OutputPager(runtime, uid, onLoad)
  }

  scroll(move: ListMove, size: ScreenSize): void {
    const blocks = this.#blocks(size)
    const page = Math.max(1, size.height - 2)
    const by = { up: -1, down: 1, pageUp: -page, pageDown: page, home: 0, end: 0 }[move]
    if (move === 'home') this.#position = scrollStart
    else if (move === 'end') this.#position = scrollEnd(size.height, blocks)
    else this.#position = limitScroll(scrollBy(this.#position, by, blocks), size.height, blocks)
    this.#isFollowing = move === 'end'
  }

  /** What is visible. */
  lines(size: ScreenSize): readonly string[] {
    const { height } = size
    const blocks = this.#blocks(size)
    this.#position = this.#isFollowing
      ? scrollEnd(height, blocks)
      : limitScroll(this.#position, height, blocks)
    const visible: string[] = []
    let skipped = this.#position.line
    // One more on each side is loaded before it is needed.
    if (this.#position.block > 1) blocks.linesOf(this.#position.block - 1)
    for (let block = this.#position.block; block <= blocks.last && visible.length < height; block++) {
      const lines = block === 0 ? this.#header(size) : this.#pager.lines(block - 1)
      visible.push(...(lines ?? ['loading …']).slice(skipped, skipped + height - visible.length))
      skipped = 0
    }
    return visible
  }

  /** The first block has the details, the others the output. */
  #blocks(size: ScreenSize): ScrolledBlocks {
    this.#row = this.#runtime.getCall(this.uid) ?? this.#row
    this.#pager.update(size.width, this.#row?.outputLength ?? 0, this.#row?.outputPending ?? '')
    const header = this.#header(size).length
    return {
      last: this.#pager.blockCount,
      linesOf: (block) => (block === 0 ? header : (this.#pager.lines(block - 1)?.length ?? null)),
    }
  }

  #header({ width, theme }: ScreenSize): readonly string[] {
    const row = this.#row
    if (row === undefined) return ['The call is no longer known.']
    const record = this.#records?.get(this.uid)
    const last = this.#lastHeader
    const isSame = last !== null && last.row === row && last.record === record
    if (isSame && last.width === width && last.theme === theme) return last.lines
    const lines = callDetailLines(row, record, { width, theme })
    this.#lastHeader = { row, record, width, theme, lines }
    return lines
  }
}

/** A line in a text that is loaded in blocks. */
export interface ScrollPosition {
  readonly block: number
  readonly line: number
}

export interface ScrolledBlocks {
  /** The index of the last block. */
  readonly last: number
  /** The number of lines in a block; `null` while it is not loaded. */
  linesOf(block: number): number | null
}

const lastBlocks = 8

export const scrollStart: ScrollPosition = { block: 0, line: 0 }

/** Moves by a number of lines, at most to a block that is not loaded. */
export function scrollBy(from: ScrollPosition, lines: number, blocks: ScrolledBlocks): ScrollPosition {
  let { block, line } = from
  line += lines
  while (line < 0) {
    const before = block === 0 ? null : blocks.linesOf(block - 1)
    if (before === null) return { block, line: 0 }
    block--
    line += before
  }
  for (;;) {
    const count = blocks.linesOf(block)
    if (count === null) return { block, line: 0 }
    if (line < count) return { block, line }
    if (block >= blocks.last) return { block, line: Math.max(0, count - 1) }
    line -= count
    block++
  }
}

/** The first line of the last page. */
export function scrollEnd(height: number, blocks: ScrolledBlocks): ScrollPosition {
  const { last } = blocks
  const count = blocks.linesOf(last)
  return count === null ? { block: last, line: 0 } : scrollBy({ block: last, line: count }, -height, blocks)
}

/** The same position, or the last page if it is after that. */
export function limitScroll(
  position: ScrollPosition,
  height: number,
  blocks: ScrolledBlocks,
): ScrollPosition {
  const known = scrollBy({ ...position, block: Math.min(position.block, blocks.last) }, 0, blocks)
  // The last page begins in one of the last blocks; those are not loaded before they are needed.
  if (blocks.last - known.block > lastBlocks) return known
  const end = scrollEnd(height, blocks)
  return end.block < known.block || (end.block === known.block && end.line < known.line) ? end : known
}
