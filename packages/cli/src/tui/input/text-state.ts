import { boundaryAfter, boundaryBefore, lineEnd, lineStart, nearestBoundary } from './graphemes.ts'

/** The cursor is an index of the text, always between two graphemes. */
export interface TextState {
  readonly text: string
  readonly cursor: number
}

export const emptyText: TextState = { text: '', cursor: 0 }

type Target = (text: string, cursor: number) => number

export type Movement =
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'line-start'
  | 'line-end'
  | 'text-start'
  | 'text-end'

export type Deletion =
  | 'backspace'
  | 'delete'
  | 'kill-word-left'
  | 'kill-spaced-word-left'
  | 'kill-word-right'
  | 'kill-line-start'
  | 'kill-line-end'

const movements: Readonly<Record<Movement, Target>> = {
  left: boundaryBefore,
  right: boundaryAfter,
  'word-left': previousWord,
  'word-right': nextWord,
  'line-start': lineStart,
  'line-end': lineEnd,
  'text-start': () => 0,
  'text-end': (text) => text.length,
}

const deletions: Readonly<Record<Deletion, Target>> = {
  backspace: boundaryBefore,
  delete: boundaryAfter,
  'kill-word-left': wordStartBefore,
  'kill-spaced-word-left': spacedWordStartBefore,
  'kill-word-right': wordEndAfter,
  // At the edge of a line, the line break is removed, so that repeating the key goes on.
  'kill-line-start': (text, cursor) => (text[cursor - 1] === '\n' ? cursor - 1 : lineStart(text, cursor)),
  'kill-line-end': (text, cursor) => (text[cursor] === '\n' ? cursor + 1 : lineEnd(text, cursor)),
}

export function isMovement(name: string): name is Movement {
  return Object.hasOwn(movements, name)
}

export function isDeletion(name: string): name is Deletion {
  return Object.hasOwn(deletions, name)
}

export function move({ text, cursor }: TextState, movement: Movement): TextState {
  return { text, cursor: nearestBoundary(text, movements[movement](text, cursor)) }
}

/** Deletes from the cursor in one direction, and returns what was deleted. */
export function remove(
  state: TextState,
  deletion: Deletion,
): { readonly state: TextState; readonly removed: string; readonly isBackward: boolean } {
  const { text, cursor } = state
  const target = nearestBoundary(text, deletions[deletion](text, cursor))
  const start = Math.min(cursor, target)
  const end = Math.max(cursor, target)
  return {
    state: replaceRange(state, start, end, ''),
    removed: text.slice(start, end),
    isBackward: target < cursor,
  }
}

export function insert(state: TextState, inserted: string): TextState {
  return replaceRange(state, state.cursor, state.cursor, inserted)
}

/** The cursor is placed after the inserted text. */
export function replaceRange({ text }: TextState, start: number, end: number, inserted: string): TextState {
  const changed = text.slice(0, start) + inserted + text.slice(end)
  return { text: changed, cursor: nearestBoundary(changed, start + inserted.length) }
}

/** No word is longer, and a longer line must not make a key slow. */
const maxDistance = 1_000

/** Where the word before the cursor starts; the end of the previous line if there is none in this one. */
function wordStartBefore(text: string, cursor: number): number {
  const start = lineStart(text, cursor)
  if (start === cursor) return Math.max(0, cursor - 1)
  const from = Math.max(start, cursor - maxDistance)
  const before = text.slice(from, cursor)
  let found = 0
  for (const { index, isWordLike } of words().segment(before)) if (isWordLike) found = index
  return from + found
}

/** Where the word after the cursor ends; the start of the next line if there is none in this one. */
function wordEndAfter(text: string, cursor: number): number {
  const end = lineEnd(text, cursor)
  if (end === cursor) return Math.min(text.length, cursor + 1)
  const after = text.slice(cursor, Math.min(end, cursor + maxDistance))
  for (const { index, segment, isWordLike } of words().segment(after))
    if (isWordLike) return cursor + index + segment.length
  return cursor + after.length
}

/** Like `wordStartBefore`, but goes on in the lines before. */
function previousWord(text: string, cursor: number): number {
  let from = cursor
  while (from > 0 && text[from - 1] === '\n') from--
  return wordStartBefore(text, from)
}

/** Like `wordEndAfter`, but goes on in the lines after. */
function nextWord(text: string, cursor: number): number {
  let from = cursor
  while (text[from] === '\n') from++
  return wordEndAfter(text, from)
}

/** Like `wordStartBefore`, but a word is everything between two spaces, as for Ctrl-W in a shell. */
function spacedWordStartBefore(text: string, cursor: number): number {
  const start = lineStart(text, cursor)
  if (start === cursor) return Math.max(0, cursor - 1)
  let index = cursor
  while (index > start && isSpace(text[index - 1]!)) index--
  while (index > start && !isSpace(text[index - 1]!)) index--
  return index
}

let segmenter: Intl.Segmenter | undefined

/** Created when it is needed, because the first one of a process takes 10 ms. */
function words(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })
  return segmenter
}

function isSpace(character: string): boolean {
  return /\s/.test(character)
}
