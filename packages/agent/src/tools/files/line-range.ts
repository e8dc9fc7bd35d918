export interface LineRange {
  /** Without line endings. */
  readonly lines: readonly string[]
  /** The number of the first line; the first line of a file is 1. */
  readonly first: number
  /** The number of lines of the file; `null` if the end was not reached. */
  readonly total: number | null
}

export interface RangeLimits {
  /** From 1. */
  readonly firstLine: number
  readonly lineCount: number
  /** Of all lines together. */
  readonly maxCharacters: number
  /** Of a line; the rest is counted, not returned. */
  readonly maxLineLength: number
}

/** The number of characters of a line number and what separates it. */
export const numberWidth = 8

/** Lines of a text. A line feed at the end does not begin another line. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map(withoutReturn)
}

/** The lines of the range, within the limits. At least one line if the file has it. */
export function rangeOf(text: string, limits: RangeLimits): LineRange {
  const all = linesOf(text)
  const lines: string[] = []
  let length = 0
  for (const line of all.slice(limits.firstLine - 1, limits.firstLine - 1 + limits.lineCount)) {
    const shown = cutLine(line, line.length, limits.maxLineLength)
    length += shown.length + numberWidth
    if (lines.length > 0 && length > limits.maxCharacters) break
    lines.push(shown)
  }
  return { lines, first: limits.firstLine, total: all.length }
}

/**
 * The same for a file that is too large to be loaded: only the lines of the range are kept, and a long line only as far as it is
 * returned.
 */
export async function rangeOfChunks(
  chunks: AsyncIterable<Buffer>,
  encoding: 'utf8' | 'latin1',
  limits: RangeLimits,
): Promise<LineRange> {
  const lines: string[] = []
  // A character has at most 4 bytes.
  const maxLineBytes = limits.maxLineLength * 4
  let number = 1
  let length = 0
  let pending: Buffer[] = []
  let pendingBytes = 0
  let skippedBytes = 0
  const isFull = (): boolean => lines.length >= limits.lineCount || length > limits.maxCharacters

  const keep = (part: Buffer): void => {
    const room = maxLineBytes - pendingBytes
    if (room > 0) pending.push(part.subarray(0, room))
    pendingBytes += Math.min(room, part.length)
    skippedBytes += Math.max(0, part.length - room)
  }
  const endLine = (): void => {
    if (number >= limits.firstLine) {
      const line = withoutReturn(Buffer.concat(pending).toString(encoding))
      const shown = cutLine(line, line.length + skippedBytes, limits.maxLineLength)
      length += shown.length + numberWidth
      if (lines.length === 0 || length <= limits.maxCharacters) lines.push(shown)
    }
    number++
    pending = []
    pendingBytes = skippedBytes = 0
  }
  let isOpen = false
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      if (number >= limits.firstLine) keep(chunk.subarray(start, end))
      endLine()
      start = end + 1
      if (isFull()) return { lines, first: limits.firstLine, total: null }
    }
    if (number >= limits.firstLine) keep(chunk.subarray(start))
    isOpen = start < chunk.length
  }
  if (isOpen) endLine()
  return { lines, first: limits.firstLine, total: number - 1 }
}

function cutLine(line: string, length: number, maxLength: number): string {
  if (length <= maxLength) return line
  const kept = line.slice(0, maxLength).toWellFormed()
  return `${kept} [${length - maxLength} more characters in this line]`
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
