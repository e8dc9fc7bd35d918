import { stripVTControlCharacters } from 'node:util'

export const spinnerFrames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
export const frameMs = 80
export const clearLine = '\r\x1b[2K'

/** The width in columns; `undefined` if the stream is not a terminal, so lines need no wrapping. */
export function terminalWidth(stream: {
  readonly isTTY?: boolean
  readonly columns?: number
}): number | undefined {
  return stream.isTTY ? stream.columns || 80 : undefined
}

/** `███░░░`: the used part of a limit. */
export function bar(elapsedMs: number, limitMs: number, width: number): string {
  const filled = Math.max(0, Math.min(width, Math.floor((elapsedMs / limitMs) * width)))
  return '█'.repeat(filled) + '░'.repeat(width - filled)
}

/** Converts a string to one line of at most `width` columns. */
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

/** Like `cut`, but keeps the end of the string. */
export function cutStart(text: string, width: number): string {
  const reversed = [...oneLine(text)].reverse().join('')
  return [...cut(reversed, width)].reverse().join('')
}

/** Replaces line breaks by spaces and removes control characters. */
export function oneLine(text: string): string {
  return neutralise(text).replace(/\s+/g, ' ').trim()
}

/** Wraps a string into lines of at most `width` columns, unless a word is longer. The first line may be narrower. */
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

/** Wraps a string after a `lead` to the width of the terminal, if any. The following lines are indented, by default to the end of the lead. */
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

/** Wraps the lines that are too wide for the terminal, if any. */
export function foldTo(columns: number | undefined, text: string): string {
  if (columns === undefined) return text
  const lines = text.split('\n')
  return lines.flatMap((line) => (widthOf(line) <= columns ? [line] : wrap(line, columns))).join('\n')
}

// Used instead of string-width, which takes longer to load than most commands take to run: docs/decisions/0013.
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u
const plain = /^[ -~]*$/
const noWidth = /[\p{Mn}\p{Me}\p{Cf}]/u
/** Turns the character before it into a wide emoji. */
const emojiSelector = '\ufe0f'

/** The width in terminal columns, or more for joined emoji. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  let last = 0
  for (const character of text) {
    if (character === emojiSelector && last === 1) width++
    if (noWidth.test(character)) continue
    last = wide.test(character) ? 2 : 1
    width += last
  }
  return width
}

/** Formats rows as a table with columns two spaces apart. */
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

// Unlike `stripVTControlCharacters`, no sequence is longer than to the start of the next one, so that unfinished sequences take no quadratic time.
const controlSequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what control sequences consist of
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*(?:[@-~]|$)|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9b-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g

/** Removes control sequences, so that a tool's output cannot control the terminal. */
export function neutralise(text: string): string {
  return text
    .replace(controlSequences, '')
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, '')
}

/** `1 tool`, `2 tools`. */
export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}
