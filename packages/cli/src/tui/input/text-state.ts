import { boundaryAfter, boundaryBefore, lineEnd, lineStart, nearestBoundary } from './graphemes.ts'
import {
  nextWord,
  previousWord,
  spacedWordStartBefore,
  wordEndAfter,
  wordStartBefore,
} from './word-boundaries.ts'

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
