import { cut, widthOf } from '../../terminal.ts'
import { drawGrapheme, graphemesOf, tab } from './graphemes.ts'
import type { PastedText } from './pasted-texts.ts'

/** One row on the screen: the text from `start` to `end`. */
export interface InputRow {
  readonly start: number
  readonly end: number
}

/** A grapheme, or a collapsed paste. */
export interface InputCell {
  readonly start: number
  readonly end: number
  /** In columns. */
  readonly width: number
  readonly shown: string
  readonly isPaste: boolean
}

export interface Wrapping {
  /** The columns for text. One more must be available, for the cursor or a space at the end of a row. */
  readonly columns: number
  readonly pastes: ReadonlyMap<string, PastedText>
}

/** The prompt mark, and the indentation of the rows below it. Too narrow a terminal has no room for it. */
export function indentOf(width: number): number {
  return width >= 10 ? 2 : 0
}

/** The columns for text in a terminal of a width. */
export function textColumns(width: number): number {
  return Math.max(1, width - indentOf(width) - 1)
}

const plain = /^[ -~]*$/

/** Wraps text between words. There is always at least one row, and each row but the last of a line ends where the next one starts. */
export function wrapInput(text: string, wrapping: Wrapping): InputRow[] {
  const rows: InputRow[] = []
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found
    wrapLine(text, start, end, wrapping, rows)
    start = end + 1
  }
  return rows
}

/** The row that shows the cursor. */
export function rowOf(rows: readonly InputRow[], cursor: number): number {
  return rows.findLastIndex(({ start }) => start <= cursor)
}

export function cellsOf(
  text: string,
  start: number,
  end: number,
  { columns, pastes }: Wrapping,
): InputCell[] {
  const cells: InputCell[] = []
  let at = start
  for (const grapheme of graphemesOf(text.slice(start, end))) {
    cells.push({ start: at, end: at + grapheme.length, ...show(grapheme, columns, pastes) })
    at += grapheme.length
  }
  return cells
}

/** Moves the cursor to another row, as near to a column as possible. */
export function cursorIn(
  text: string,
  rows: readonly InputRow[],
  row: number,
  column: number,
  wrapping: Wrapping,
): number {
  const { start, end } = rows[row]!
  const cells = cellsOf(text, start, end, wrapping)
  let used = 0
  for (const cell of cells) {
    used += cell.width
    if (used > column) return cell.start
  }
  // The end of a wrapped row is the start of the next one.
  const isWrapped = rows[row + 1]?.start === end
  return isWrapped ? (cells.at(-1)?.start ?? start) : end
}

export function columnOf(text: string, row: InputRow, cursor: number, wrapping: Wrapping): number {
  let column = 0
  for (const { width } of cellsOf(text, row.start, cursor, wrapping)) column += width
  return column
}

function wrapLine(text: string, start: number, end: number, wrapping: Wrapping, rows: InputRow[]): void {
  const { columns } = wrapping
  const line = text.slice(start, end)
  if (line.length <= columns && plain.test(line)) {
    rows.push({ start, end })
    return
  }
  let rowStart = start
  let column = 0
  /** After the last space of the row. */
  let breakAt = -1
  let breakColumn = 0
  const breakRow = (at: number, nextColumn: number): void => {
    rows.push({ start: rowStart, end: at })
    rowStart = at
    column = nextColumn
    breakAt = -1
  }
  for (const cell of cellsOf(text, start, end, wrapping)) {
    const isSpace = cell.shown === ' '
    if (isSpace && column === columns) {
      breakRow(cell.end, 0)
      continue
    }
    while (column > 0 && column + cell.width > columns) {
      if (breakAt > rowStart) breakRow(breakAt, column - breakColumn)
      else breakRow(cell.start, 0)
    }
    column += cell.width
    if (isSpace || cell.shown === tab) {
      breakAt = cell.end
      breakColumn = column
    }
  }
  rows.push({ start: rowStart, end })
}

function show(
  grapheme: string,
  columns: number,
  pastes: ReadonlyMap<string, PastedText>,
): Pick<InputCell, 'width' | 'shown' | 'isPaste'> {
  if (grapheme.length === 1 && plain.test(grapheme)) return { width: 1, shown: grapheme, isPaste: false }
  const paste = pastes.size === 0 ? undefined : pasteIn(grapheme, pastes)
  const { shown, width } =
    paste === undefined ? drawGrapheme(grapheme) : { shown: paste.label, width: widthOf(paste.label) }
  const isPaste = paste !== undefined
  if (width <= columns) return { width, shown, isPaste }
  const short = cut(shown, columns)
  return { width: widthOf(short), shown: short, isPaste }
}

/** A mark that was typed next to a paste forms one grapheme with it. */
function pasteIn(grapheme: string, pastes: ReadonlyMap<string, PastedText>): PastedText | undefined {
  for (const character of grapheme) {
    const paste = pastes.get(character)
    if (paste !== undefined) return paste
  }
  return undefined
}
