import stringWidth from './string-width.ts'

interface Position {
  readonly x: number
  readonly y: number
}

const hideCursor = '\u001b[?25l'
const eraseDown = '\u001b[J'

/**
 * Replaces Ink's `buildEraseFrame` in the bundle. A terminal that has become narrower has wrapped the lines of the last frame, which then
 * take more rows: Ink counts lines, and would leave some of them, once more with each new width.
 */
export function eraseFrame(lines: readonly string[], cursor: Position | undefined, columns: number): string {
  // Without a cursor of its own, Ink leaves it in the last line.
  const last = lines.length - 1
  const line = Math.max(0, Math.min(cursor?.y ?? last, last))
  const rows = lines.slice(0, line).reduce((sum, text) => sum + rowsOf(stringWidth(text), columns), 0)
  const up = rows + (cursor === undefined ? 0 : rowsOf(cursor.x + 1, columns) - 1)
  return `${cursor === undefined ? '' : hideCursor}${up === 0 ? '' : `\u001b[${up}A`}\u001b[1G${eraseDown}`
}

function rowsOf(width: number, columns: number): number {
  return Number.isFinite(columns) && columns > 0 ? Math.max(1, Math.ceil(width / columns)) : 1
}
