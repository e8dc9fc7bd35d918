import type { Tokens } from 'marked'
import { type Line, lineWidth, type Span, withPrefix, wrapSpans } from '../spans/wrap-spans.ts'
import { inlineSpans } from './inline-spans.ts'
import { indentedWidth, type RenderContext } from './render-context.ts'

/** Narrower columns are not worth it: each row becomes a list of its values. */
const minColumnWidth = 8
const maxColumns = 30
/** Longer words are broken. */
const maxWordWidth = 24
const separator: Span = { text: ' │ ', roles: ['muted'] }

interface Cell {
  readonly spans: readonly Span[]
  readonly width: number
  /** The width of the longest word that should not be broken. */
  readonly wordWidth: number
}

const noCell: Cell = { spans: [], width: 0, wordWidth: 0 }

/** A table whose columns fit the width. Cells are wrapped; if there are too many columns, each row is a list of `header: value`. */
export function renderTable({ header, rows, align }: Tokens.Table, context: RenderContext): Line[] {
  const heads = header.map((cell) => toCell(cell, context, true))
  const cells = rows.map((row) => row.map((cell) => toCell(cell, context, false)))
  const widths = columnWidths([heads, ...cells], context.width)
  if (widths === undefined) return renderRecords(heads, cells, context.width)
  const line: Line = [{ text: widths.map((width) => '─'.repeat(width)).join('─┼─'), roles: ['muted'] }]
  const rendered = cells.map((row) => renderRow(row, widths, align))
  // Without lines between them, rows of several lines could not be told apart.
  const isTall = rendered.some((row) => row.length > 1)
  const body = rendered.flatMap((row, index) => (isTall && index > 0 ? [line, ...row] : row))
  return [...renderRow(heads, widths, align), line, ...body]
}

function toCell({ tokens }: Tokens.TableCell, { isPlain }: RenderContext, isHeader: boolean): Cell {
  const spans = inlineSpans(tokens, isPlain, isHeader ? ['strong'] : [])
  const words = spans
    .map(({ text }) => text)
    .join('')
    .match(/[!-~]+/g)
  const wordWidth = Math.min(maxWordWidth, Math.max(0, ...(words ?? []).map((word) => word.length)))
  return {
    spans,
    width: Math.max(0, ...wrapSpans(spans, Number.POSITIVE_INFINITY).map(lineWidth)),
    wordWidth,
  }
}

/** Each column is wide enough for its words; wide ones share what narrow ones leave. `undefined` if there is not enough room. */
function columnWidths(rows: readonly (readonly Cell[])[], width: number): number[] | undefined {
  const columns = rows[0]!.map((_, column) => rows.map((row) => row[column] ?? noCell))
  if (columns.length > maxColumns) return undefined
  const wanted = columns.map((cells) => Math.max(1, ...cells.map(({ width }) => width)))
  const widths = columns.map((cells, column) =>
    Math.min(wanted[column]!, Math.max(minColumnWidth, ...cells.map(({ wordWidth }) => wordWidth))),
  )
  let room =
    width - (columns.length - 1) * separator.text.length - widths.reduce((sum, width) => sum + width, 0)
  if (room < 0) return undefined
  const missing = (column: number): number => wanted[column]! - widths[column]!
  const order = columns.map((_, column) => column).sort((a, b) => missing(a) - missing(b))
  for (const [index, column] of order.entries()) {
    const more = Math.min(missing(column), Math.floor(room / (columns.length - index)))
    widths[column]! += more
    room -= more
  }
  return widths
}

function renderRow(cells: readonly Cell[], widths: readonly number[], align: Tokens.Table['align']): Line[] {
  const columns = widths.map((width, column) => wrapSpans(cells[column]?.spans ?? [], width))
  const height = Math.max(1, ...columns.map((lines) => lines.length))
  return Array.from({ length: height }, (_, row) => {
    return columns.flatMap((lines, column): Span[] => {
      const isLast = column === widths.length - 1
      const cell = alignCell(lines[row] ?? [], widths[column]!, align[column] ?? 'left', isLast)
      if (isLast) return cell
      const isLineEnd = column === widths.length - 2 && (columns.at(-1)![row] ?? []).length === 0
      return [...cell, isLineEnd ? { ...separator, text: separator.text.trimEnd() } : separator]
    })
  })
}

function alignCell(line: Line, width: number, align: 'left' | 'center' | 'right', isLast: boolean): Span[] {
  const missing = width - lineWidth(line)
  const before = align === 'left' ? 0 : align === 'right' ? missing : Math.floor(missing / 2)
  const after = isLast ? 0 : missing - before
  return [...spaces(before), ...line, ...spaces(after)]
}

function spaces(count: number): Span[] {
  return count > 0 ? [{ text: ' '.repeat(count), roles: [] }] : []
}

function renderRecords(heads: readonly Cell[], rows: readonly (readonly Cell[])[], width: number): Line[] {
  if (rows.length === 0)
    return wrapSpans(
      heads.flatMap(({ spans }, index) => (index > 0 ? [separator, ...spans] : spans)),
      width,
    )
  const textWidth = indentedWidth(width, 2)
  const indent: Span = { text: ' '.repeat(width - textWidth), roles: [] }
  return rows.flatMap((row, index) => {
    const lines = row.flatMap((cell, column) => {
      if (cell.width === 0) return []
      const head = heads[column]?.spans ?? []
      const lines = wrapSpans([...head, { text: ': ', roles: [] }, ...cell.spans], textWidth)
      return lines.map((line, index) => (index > 0 ? withPrefix(indent, line) : line))
    })
    return index > 0 ? [[], ...lines] : lines
  })
}
