/** A line of a result. */
export interface FoundLine {
  /** Starts with 1. */
  readonly number: number
  readonly text: string
  /** False for context. */
  readonly isMatch: boolean
}

export interface FoundFile {
  readonly path: string
  /** All matching lines, including those that are not in `lines`. */
  readonly count: number
  readonly lines: readonly FoundLine[]
}

export const maxLineLength = 400
const lengthBeforeMatch = 100

/** A long line is cut around the match. */
export function cutLine(text: string, matchAt: number): string {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text
  if (line.length <= maxLineLength) return line
  const start = Math.max(0, Math.min(matchAt - lengthBeforeMatch, line.length - maxLineLength))
  const end = start + maxLineLength
  const shown = line.slice(start, end).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
  return `${start === 0 ? '' : '[...] '}${shown}${end >= line.length ? '' : ' [...]'}`
}

/** The first matches with their context. */
export function firstMatches(
  lines: readonly FoundLine[],
  max: number,
  context: number,
): readonly FoundLine[] {
  let matches = 0
  let last = 0
  const end = lines.findIndex(({ number, isMatch }) => {
    if (matches === max) return isMatch || number > last + context
    if (!isMatch) return false
    matches++
    last = number
    return false
  })
  return end < 0 ? lines : lines.slice(0, end)
}
