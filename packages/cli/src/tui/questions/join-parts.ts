import { widthOf } from '../../terminal.ts'
import type { Style } from '../theme/theme.ts'
import { foldLine } from './fold-line.ts'

export interface StyledPart {
  readonly text: string
  readonly style: Style
}

/** Joins parts with dots into as few rows of at most `width` columns as possible. A part that is too long is shortened. */
export function joinParts(parts: readonly StyledPart[], width: number): string[] {
  const rows: { used: number; text: string }[] = []
  for (const part of parts) {
    const text = cutExactly(part.text, width)
    const columns = widthOf(text)
    const row = rows.at(-1)
    if (row !== undefined && row.used + 3 + columns <= width) {
      row.text += ` · ${part.style(text)}`
      row.used += 3 + columns
    } else rows.push({ used: columns, text: part.style(text) })
  }
  return rows.map(({ text }) => text)
}

/** Shortens a line visibly, without changing its spaces. */
export function cutExactly(text: string, width: number): string {
  // Some characters have no width.
  const maxLength = width * 4
  const [row = '', ...rest] = foldLine(text.slice(0, maxLength), width)
  if (rest.length === 0 && text.length <= maxLength) return row
  return `${foldLine(row, Math.max(1, width - 1))[0]}…`
}
