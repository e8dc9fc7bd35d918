import { escapeInvisible } from '@curfew/core/internal'
import { widthOf } from '../../terminal.ts'

const emojiSelector = '\ufe0f'

/**
 * Splits a line into rows of at most `width` columns without changing, adding or removing a character: where a command is shown, a moved
 * space could change what it seems to do.
 */
export function foldLine(line: string, width: number, nextWidth: number = width): string[] {
  if (line.length <= width && widthOf(line) <= width) return [line]
  const rows: string[] = []
  let row = ''
  let used = 0
  for (const character of line) {
    // The selector may turn the character before it into a wide one.
    const columns = character === emojiSelector ? 1 : widthOf(character)
    if (row !== '' && used + columns > (rows.length === 0 ? width : nextWidth)) {
      rows.push(row)
      row = ''
      used = 0
    }
    row += character
    used += columns
  }
  rows.push(row)
  return rows
}

/** Escaped, with line breaks as escapes. Bounded, because a rule may contain a whole file. */
export function oneRow(text: string): string {
  return escapeInvisible(text.slice(0, 2_000)).replaceAll('\n', '\\n')
}
