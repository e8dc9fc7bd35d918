import { stripVTControlCharacters } from 'node:util'

export const spinnerFrames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
export const frameMs = 80
export const clearLine = '\r\x1b[2K'

/** `███░░░`: how much of a limit is used up. */
export function bar(elapsedMs: number, limitMs: number, width: number): string {
  const filled = Math.max(0, Math.min(width, Math.floor((elapsedMs / limitMs) * width)))
  return '█'.repeat(filled) + '░'.repeat(width - filled)
}

/** One line of at most so many characters, whatever the text holds. */
export function cut(text: string, width: number): string {
  const line = neutralise(text).replace(/\s+/g, ' ').trim()
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`
}

/** Lines of cells that stand below each other, two spaces apart. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  }
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]! + 2))
      .join('')
      .trimEnd(),
  )
}

/** What a tool prints must not steer the terminal. */
export function neutralise(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, '')
}
