/** A line of a unified diff. `note`: headers, and whatever else is not part of the files. */
export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'note'
  /** Without the sign. */
  readonly text: string
}

const hunkStart = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/
const kinds = { '+': 'added', '-': 'removed', ' ': 'same' } as const

/**
 * Parses a unified diff; `undefined` if the text is something else. The counts in the header of a hunk decide what is part of a file,
 * so that no line of the file can pass for a header.
 */
export function parseDiff(lines: readonly string[]): DiffLine[] | undefined {
  if (!lines.some((line) => hunkStart.test(line))) return undefined
  let oldLines = 0
  let newLines = 0
  /** The middle of a long diff may have been omitted, and with it the header of a hunk. */
  let isInDiff = false
  return lines.map((line) => {
    const kind = kinds[line[0] as '+' | '-' | ' ']
    const isCounted = oldLines > 0 || newLines > 0
    if (kind !== undefined && (isCounted || (isInDiff && !/^(?:---|\+\+\+) /.test(line)))) {
      if (kind !== 'added') oldLines--
      if (kind !== 'removed') newLines--
      return { kind, text: line.slice(1) }
    }
    const [header, oldCount = '1', newCount = '1'] = hunkStart.exec(line) ?? []
    if (header !== undefined) {
      oldLines = Number(oldCount)
      newLines = Number(newCount)
      isInDiff = true
    }
    return { kind: 'note', text: line }
  })
}
