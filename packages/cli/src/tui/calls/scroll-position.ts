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
  return isBefore(end, known) ? end : known
}

function isBefore(one: ScrollPosition, other: ScrollPosition): boolean {
  return one.block < other.block || (one.block === other.block && one.line < other.line)
}
