import { count, cut } from '../../terminal.ts'
import type { Theme } from '../theme/theme.ts'
import { matchOf } from './history-search.ts'
import type { InputSnapshot } from './input-editor.ts'
import {
  cellsOf,
  columnOf,
  type InputRow,
  indentOf,
  rowOf,
  textColumns,
  type Wrapping,
  wrapInput,
} from './wrap-input.ts'

export interface InputLayoutOptions {
  readonly width: number
  /** Including the row that counts the hidden lines. */
  readonly maxRows: number
  readonly theme: Theme
  readonly isFocused: boolean
  /** Shown while there is no text. */
  readonly placeholder?: string
}

export interface InputLayout {
  /** Styled, each at most `width` columns. */
  readonly lines: readonly string[]
  /** From the top left; `null` if the cursor is not in the input. */
  readonly cursor: { readonly x: number; readonly y: number } | null
}

/** Enough to recognise a match, and cheap to wrap. */
const maxPreviewLength = 2_000

/** Draws the text of the input behind a prompt mark. Of long text, it shows the rows around the cursor. */
export function layoutInput(snapshot: InputSnapshot, options: InputLayoutOptions): InputLayout {
  const { width, theme, isFocused, placeholder = '' } = options
  const { text, cursor, isPreview } = shownText(snapshot)
  const wrapping = { columns: textColumns(width), pastes: snapshot.pastes }
  const indent = indentOf(width)
  const mark = (isFocused ? theme.accent : theme.muted)('> '.slice(0, indent))
  if (text === '') {
    const line = mark + theme.muted(cut(placeholder, wrapping.columns))
    return { lines: [line], cursor: isFocused && !isPreview ? { x: indent, y: 0 } : null }
  }
  const rows = wrapInput(text, wrapping)
  const cursorRow = rowOf(rows, cursor)
  const { first, last } = visibleRows(rows.length, cursorRow, options.maxRows)
  const lines = rows
    .slice(first, last)
    .map(
      (row, index) => (first + index === 0 ? mark : ' '.repeat(indent)) + drawRow(text, row, wrapping, theme),
    )
  if (last - first < rows.length && options.maxRows > 1)
    lines.push(
      ' '.repeat(indent) + theme.muted(cut(hiddenLines(first, rows.length - last), wrapping.columns)),
    )
  const x = indent + columnOf(text, rows[cursorRow]!, cursor, wrapping)
  return {
    lines,
    cursor: isFocused && !isPreview ? { x: Math.min(x, width - 1), y: cursorRow - first } : null,
  }
}

/** During a search, the match instead of the draft. */
function shownText({ text, cursor, search }: InputSnapshot): {
  text: string
  cursor: number
  isPreview: boolean
} {
  if (search === null) return { text, cursor, isPreview: false }
  return {
    text: (matchOf(search) ?? '').slice(0, maxPreviewLength).toWellFormed(),
    cursor: 0,
    isPreview: true,
  }
}

/** The cursor is in the middle, except near the start and the end. */
function visibleRows(count: number, cursorRow: number, maxRows: number): { first: number; last: number } {
  if (count <= maxRows) return { first: 0, last: count }
  const shown = Math.max(1, maxRows - 1)
  const first = Math.max(0, Math.min(cursorRow - Math.floor(shown / 2), count - shown))
  return { first, last: first + shown }
}

function hiddenLines(above: number, below: number): string {
  const parts = [
    ...(above > 0 ? [`${count(above, 'line')} above`] : []),
    ...(below > 0 ? [`${count(below, 'line')} below`] : []),
  ]
  return parts.join(', ')
}

function drawRow(text: string, row: InputRow, wrapping: Wrapping, theme: Theme): string {
  const cells = cellsOf(text, row.start, row.end, wrapping)
  return cells.map(({ shown, isPaste }) => (isPaste ? theme.accent(shown) : shown)).join('')
}
