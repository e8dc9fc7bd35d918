import { stripVTControlCharacters } from 'node:util'

export const spinnerFrames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
export const frameMs = 80
export const clearLine = '\r\x1b[2K'

/** In columns; `undefined` where a program reads, and lines may be as long as they are. */
export function terminalWidth(stream: {
  readonly isTTY?: boolean
  readonly columns?: number
}): number | undefined {
  return stream.isTTY ? stream.columns || 80 : undefined
}

/** `███░░░`: how much of a limit is used up. */
export function bar(elapsedMs: number, limitMs: number, width: number): string {
  const filled = Math.max(0, Math.min(width, Math.floor((elapsedMs / limitMs) * width)))
  return '█'.repeat(filled) + '░'.repeat(width - filled)
}

/** One line of at most so many columns, whatever the text holds. */
export function cut(text: string, width: number): string {
  const line = oneLine(text)
  if (widthOf(line) <= width) return line
  let kept = ''
  for (const character of line) {
    if (widthOf(kept + character) > width - 1) break
    kept += character
  }
  return `${kept}…`
}

/** The end of a text, as one line of at most so many columns. */
export function cutStart(text: string, width: number): string {
  const reversed = [...oneLine(text)].reverse().join('')
  return [...cut(reversed, width)].reverse().join('')
}

/** Without line breaks and whatever else could pass for something that it is not. */
export function oneLine(text: string): string {
  return neutralise(text).replace(/\s+/g, ' ').trim()
}

/** Lines of at most `width` columns, unless a word is longer. The first may be narrower. */
export function wrap(text: string, width: number, firstWidth: number = width): string[] {
  const lines = ['']
  for (const word of oneLine(text).split(' ')) {
    const last = lines.at(-1)!
    const room = lines.length === 1 ? firstWidth : width
    if (last === '' && (lines.length > 1 || widthOf(word) <= room)) lines[lines.length - 1] = word
    else if (last !== '' && widthOf(last) + 1 + widthOf(word) <= room)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/**
 * A text after a `lead`, folded to a terminal's width where there is one: the lines below it are indented, by default to
 * where the text begins.
 */
export function hang(
  lead: string,
  text: string,
  columns: number | undefined,
  indent: number = widthOf(stripVTControlCharacters(lead)),
): string[] {
  const used = widthOf(stripVTControlCharacters(lead))
  const [first = '', ...rest] =
    columns === undefined ? [oneLine(text)] : wrap(text, columns - indent, columns - used)
  return [(lead + first).trimEnd(), ...rest.map((line) => ' '.repeat(indent) + line)]
}

/** Lines that are too wide for a terminal are broken between words; the others, and where there is none, stay. */
export function foldTo(columns: number | undefined, text: string): string {
  if (columns === undefined) return text
  const lines = text.split('\n')
  return lines.flatMap((line) => (widthOf(line) <= columns ? [line] : wrap(line, columns))).join('\n')
}

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u
const plain = /^[ -~]*$/
const noWidth = /[\p{Mn}\p{Me}\p{Cf}]/u

/** In columns of a terminal. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  for (const character of text) width += noWidth.test(character) ? 0 : wide.test(character) ? 2 : 1
  return width
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

/** `1 tool`, `2 tools`. */
export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}
