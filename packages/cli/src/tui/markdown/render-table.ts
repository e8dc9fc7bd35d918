import type { Tokens } from 'marked'
import { type Line, lineWidth, type Span } from '../spans/span.ts'
import { wrapSpans } from '../spans/wrap-spans.ts'
import { inlineSpans } from './inline-spans.ts'
import type { RenderContext } from './render-context.ts'

/** Narrower columns are not worth it: each row becomes a list of its values. */
const minColumnWidth = 8
const maxColumns = 30
const separator: Span = { text: ' │ ', roles: ['muted'] }

interface Cell {
  readonly spans: readonly Span[]
  readonly width: number
}

/** A table whose columns fit the width. Cells are wrapped; if there are too many columns, each row is a list of `header: value`. */
export function renderTable({ header, rows, align }: Tokens.Table, context: RenderContext): Line[] {
  const heads = header.map((cell) => toCell(cell, context, true))
  const cells = rows.map((row) => row.map((cell) => toCell(cell, context, false)))
  const widths = columnWidths([heads, ...cells], context.width)
  if (widths === undefined) return renderRecords(heads, cells, context.width)
  const line = rule(widths)
  const rendered = cells.map((row) => renderRow(row, widths, align))
  // Without lines between them, rows of several lines could not be told apart.
  const isTall = rendered.some((row) => row.length > 1)
  const body = rendered.flatMap((row, index) => (isTall && index > 0 ? [line, ...row] : row))
  return [...renderRow(heads, widths, align), line, ...body]
}

function toCell({ tokens }: Tokens.TableCell, { isPlain }: RenderContext, isHeader: boolean): Cell {
  const spans = inlineSpans(tokens, isPlain, isHeader ? ['strong'] : [])
  return { spans, width: Math.max(0, ...wrapSpans(spans, Number.POSITIVE_INFINITY).map(lineWidth)) }
}

/** Wide columns share what narrow ones leave; `undefined` if there is not enough room. */
function columnWidths(rows: readonly (readonly Cell[])[], width: number): number[] | undefined {
  const natural = rows[0]!.map((_, column) => Math.max(1, ...rows.map((row) => row[column]?.width ?? 0)))
  if (natural.length > maxColumns) return undefined
  const widths: number[] = []
  let room = width - (natural.length - 1) * separator.text.length
  const narrowFirst = natural.map((_, column) => column).sort((a, b) => natural[a]! - natural[b]!)
  for (const [index, column] of narrowFirst.entries()) {
    const share = Math.floor(room / (natural.length - index))
    const columnWidth = Math.min(natural[column]!, share)
    if (columnWidth < Math.min(natural[column]!, minColumnWidth)) return undefined
    widths[column] = columnWidth
    room -= columnWidth
  }
  return widths
}

function renderRow(cells: readonly Cell[], widths: readonly number[], align: Tokens.Table['align']): Line[] {
  const columns = widths.map((width, column) => wrapSpans(cells[column]?.spans ?? [], width))
  const height = Math.max(1, ...columns.map((lines) => lines.length))
  return Array.from({ length: height }, (_, row) => {
    const line = columns.flatMap((lines, column): Span[] => {
      const isLast = column === widths.length - 1
      const cell = alignCell(lines[row] ?? [], widths[column]!, align[column] ?? 'left', isLast)
      return isLast ? cell : [...cell, separator]
    })
    return line
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

function rule(widths: readonly number[]): Line {
  return [{ text: widths.map((width) => '─'.repeat(width)).join('─┼─'), roles: ['muted'] }]
}

function renderRecords(heads: readonly Cell[], rows: readonly (readonly Cell[])[], width: number): Line[] {
  if (rows.length === 0)
    return wrapSpans(
      heads.flatMap(({ spans }, index) => (index > 0 ? [separator, ...spans] : spans)),
      width,
    )
  return rows.flatMap((row, index) => {
    const lines = row.flatMap((cell, column) => {
      if (cell.width === 0) return []
      const head = heads[column]?.spans ?? []
      return wrapSpans([...head, { text: ': ', roles: [] }, ...cell.spans], width)
    })
    return index > 0 ? [[], ...lines] : lines
  })
}
