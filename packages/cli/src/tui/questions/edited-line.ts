import type { Key } from 'ink'
import { boundaryAfter, boundaryBefore } from '../input/graphemes.ts'
import { emptyText, type TextState } from '../input/text-state.ts'

/** A line of text that a person edits. It may contain line breaks, which are shown as escapes. */
export type EditedLine = TextState

export const emptyLine: EditedLine = emptyText

export function lineOf(text: string): EditedLine {
  return { text, cursor: text.length }
}

/** Applies a key; `null` if it is not a key for editing. */
export function editLine(line: EditedLine, input: string, key: Key): EditedLine | null {
  const { text, cursor } = line
  if (key.leftArrow || isControl(input, key, 'b')) return { text, cursor: boundaryBefore(text, cursor) }
  if (key.rightArrow || isControl(input, key, 'f')) return { text, cursor: boundaryAfter(text, cursor) }
  if (key.home || isControl(input, key, 'a')) return { text, cursor: 0 }
  if (key.end || isControl(input, key, 'e')) return { text, cursor: text.length }
  if (key.backspace) return remove(text, boundaryBefore(text, cursor), cursor)
  if (key.delete || isControl(input, key, 'd')) return remove(text, cursor, boundaryAfter(text, cursor))
  if (isControl(input, key, 'u')) return remove(text, 0, cursor)
  if (isControl(input, key, 'k')) return remove(text, cursor, text.length)
  if (isControl(input, key, 'w')) return remove(text, startOfWord(text, cursor), cursor)
  return isPrintable(input, key) ? insertText(line, input) : null
}

/** Inserts text at the cursor, without control characters other than line breaks and tabs. */
export function insertText({ text, cursor }: EditedLine, inserted: string): EditedLine {
  const room = Math.max(0, maxLineLength - text.length)
  const added = cleanText(inserted).slice(0, room).toWellFormed()
  return { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length }
}

/** Of what a person types; what is pasted beyond it is dropped. */
export const maxLineLength = 20_000

/** What a paste contains, with uniform line breaks and without control characters. */
export function cleanText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/(?![\n\t])\p{Cc}/gu, '')
}

export function isControl(input: string, key: Key, letter: string): boolean {
  return key.ctrl && !key.meta && input === letter
}

/** Whether a key types text. Several characters at once are a paste, or were typed faster than they are read. */
export function isPrintable(input: string, key: Key): boolean {
  if (key.ctrl || key.meta || key.super || key.hyper || key.escape || key.return || key.tab) return false
  return input !== '' && !/^\p{Cc}+$/u.test(input)
}

function remove(text: string, from: number, to: number): EditedLine {
  return { text: text.slice(0, from) + text.slice(to), cursor: from }
}

function startOfWord(text: string, cursor: number): number {
  let start = cursor
  while (start > 0 && /\s/.test(text[start - 1]!)) start--
  while (start > 0 && !/\s/.test(text[start - 1]!)) start--
  return start
}
