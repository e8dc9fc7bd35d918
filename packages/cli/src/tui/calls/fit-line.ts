import { widthOf } from '../../text-width.ts'
import type { Style } from '../theme/theme.ts'

const ascii = /^[ -~]*$/
const emojiSelector = '\ufe0f'

/** Cuts a line without control characters to `width` columns, in linear time. What is cut off is marked with `…`. */
export function fitLine(text: string, width: number): string {
  if (width <= 0) return ''
  if (ascii.test(text)) return text.length <= width ? text : `${text.slice(0, width - 1)}…`
  let used = 0
  let at = 0
  /** Where to cut if the line turns out to be too wide. */
  let cutAt = 0
  for (const character of text) {
    // The selector may widen the character before it.
    used += character === emojiSelector ? 1 : widthOf(character)
    if (used > width) return `${text.slice(0, cutAt)}…`
    at += character.length
    if (used < width) cutAt = at
  }
  return text
}

/** A part of a line: its text without control characters, and how it looks. */
export interface Piece {
  readonly text: string
  readonly style: Style
}

/** Joins pieces to a line of at most `width` columns. */
export function joinPieces(pieces: readonly Piece[], width: number): string {
  let line = ''
  let room = width
  for (const { text, style } of pieces) {
    const fitting = fitLine(text, room)
    line += style(fitting)
    room -= widthOf(fitting)
    if (fitting !== text) break
  }
  return line
}
