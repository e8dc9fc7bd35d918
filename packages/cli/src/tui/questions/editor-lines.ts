import { escapeInvisible } from '@curfew/core/internal'
import { count, widthOf } from '../../terminal.ts'
import type { Theme } from '../theme/theme.ts'
import type { EditedLine } from './edited-line.ts'
import { cutExactly } from './join-parts.ts'

export interface EditorLinesOptions {
  readonly width: number
  readonly maxRows: number
  readonly theme: Theme
  readonly showCursor: boolean
}

/** Characters around the cursor that are formatted; more would not fit. */
const maxBefore = 4_000
const maxAfter = 2_000

/** The text that is being edited, exactly as it is, in rows around the cursor. What is not shown is counted. */
export function editorLines(line: EditedLine, options: EditorLinesOptions): string[] {
  const { width, theme, showCursor } = options
  const start = boundary(line.text, line.cursor - maxBefore)
  const end = boundary(line.text, line.cursor + maxAfter)
  const rows: string[] = ['']
  let used = 0
  let cursorRow = 0
  let at = start
  const add = (cell: string, style: (text: string) => string): void => {
    const columns = widthOf(cell)
    if (used + columns > width && used > 0) {
      rows.push('')
      used = 0
    }
    if (at === line.cursor) cursorRow = rows.length - 1
    rows[rows.length - 1] += style(cell)
    used += columns
  }
  const cursorStyle = (style: (text: string) => string) =>
    at === line.cursor && showCursor ? theme.selected : style
  for (const character of line.text.slice(start, end)) {
    const cell = visible(character)
    add(cell, cursorStyle(cell === character ? (text) => text : theme.accent))
    at += character.length
  }
  if (at === line.cursor && showCursor) add(' ', theme.selected)
  return around(rows, cursorRow, options, start, line.text.length - end)
}

/** The rows around the cursor, with the number of those that are left out. */
function around(
  rows: readonly string[],
  cursorRow: number,
  { width, maxRows, theme }: EditorLinesOptions,
  before: number,
  after: number,
): string[] {
  if (rows.length <= maxRows && before === 0 && after === 0) return [...rows]
  const room = Math.max(1, maxRows - 1)
  const first = Math.max(0, Math.min(cursorRow - Math.floor(room / 2), rows.length - room))
  const more = before + after > 0 ? ' and more' : ''
  const hidden = `… ${count(Math.max(0, rows.length - room), 'line')}${more} not shown`
  return [...rows.slice(first, first + room), theme.warning(cutExactly(hidden, width))]
}

/** Escaped as in the question, and line breaks too, because this is one line. */
function visible(character: string): string {
  return character === '\n' ? '\\n' : escapeInvisible(character)
}

/** An offset that does not split a surrogate pair. */
function boundary(text: string, offset: number): number {
  const within = Math.max(0, Math.min(text.length, offset))
  const code = text.charCodeAt(within)
  return code >= 0xdc00 && code <= 0xdfff && within > 0 ? within - 1 : within
}
