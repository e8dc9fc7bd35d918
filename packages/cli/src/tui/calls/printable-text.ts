import { escapeInvisible } from '@curfew/core/internal'
import { neutralise, widthOf } from '../../terminal.ts'

/** Longer names and messages are cut before they are processed. */
const maxLength = 4_000
const tabWidth = 8
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** A name or an argument in one line. What would be invisible or change the rest of the line is escaped. */
export function visibleName(text: string): string {
  return escapeInvisible(text.slice(0, maxLength)).replaceAll('\n', '\\n')
}

/** A message in one line, without control sequences and invisible characters. */
export function visibleMessage(text: string): string {
  return visibleOutput(text.slice(0, maxLength)).replace(/\s+/g, ' ').trim()
}

/** A line of output without control sequences and invisible characters, with its spaces and tab stops. */
export function visibleOutput(text: string): string {
  return expandTabs(neutralise(text.toWellFormed())).replace(invisible, (found) =>
    found === '\n' ? ' ' : '',
  )
}

/** Advances to the next multiple of `tabWidth`, as a terminal does. */
function expandTabs(line: string): string {
  if (!line.includes('\t')) return line
  const [first = '', ...rest] = line.split('\t')
  let expanded = first
  let column = widthOf(first)
  for (const part of rest) {
    const spaces = tabWidth - (column % tabWidth)
    expanded += ' '.repeat(spaces) + part
    column += spaces + widthOf(part)
  }
  return expanded
}
