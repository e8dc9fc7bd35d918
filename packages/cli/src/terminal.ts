import { stripVTControlCharacters } from 'node:util'
import { neutralise } from './neutralise.ts'
import { widthOf } from './text-width.ts'
import { fitLine } from './tui/calls/fit-line.ts'

export { alignColumns } from '@curfew/core/internal'
export { neutralise, widthOf }

export const spinnerFrames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
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
  return widthOf(line) <= width ? line : fitLine(line, width)
}

/** Like `cut`, but keeps the end of the string. */
export function cutStart(text: string, width: number): string {
  const line = oneLine(text)
  if (widthOf(line) <= width) return line
  let kept = ''
  for (const character of [...line].reverse()) {
    if (widthOf(character + kept) > width - 1) break
    kept = character + kept
  }
  return `…${kept}`
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

/** `1 tool`, `2 tools`. */
export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}
