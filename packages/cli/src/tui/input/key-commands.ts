import type { Key } from 'ink'
import type { Deletion, Movement } from './text-state.ts'

/** What a key means to the editor. */
export type EditorCommand =
  | { readonly name: 'insert'; readonly text: string }
  | { readonly name: Movement | Deletion | OtherCommand }

type OtherCommand =
  | 'newline'
  | 'enter'
  | 'tab'
  | 'up'
  | 'down'
  | 'yank'
  | 'undo'
  | 'redo'
  /** Closes a menu or search. */
  | 'escape'
  /** Closes a search only, so that Ctrl-C reaches the program otherwise. */
  | 'cancel-search'
  /** The next match of an open search. */
  | 'search'

type Name = Exclude<EditorCommand['name'], 'insert'>

const byControl: Readonly<Record<string, Name>> = {
  a: 'line-start',
  c: 'cancel-search',
  e: 'line-end',
  g: 'cancel-search',
  h: 'backspace',
  i: 'tab',
  j: 'newline',
  k: 'kill-line-end',
  m: 'enter',
  n: 'down',
  p: 'up',
  r: 'search',
  u: 'kill-line-start',
  w: 'kill-spaced-word-left',
  y: 'yank',
  '[': 'escape',
  // Ctrl+_, as a terminal with the kitty protocol reports it, and the keys that older terminals report as Ctrl+_.
  _: 'undo',
  '-': 'undo',
  '/': 'undo',
}

const byMeta: Readonly<Record<string, Name>> = {
  b: 'word-left',
  f: 'word-right',
  d: 'kill-word-right',
  _: 'redo',
  '-': 'redo',
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the keys of a terminal
const controls = /[\x00-\x1f\x7f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the keys of a terminal
const controlsAndText = /[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/g

/** The commands of one event of Ink's `useInput`; none if the key is not for an editor. */
export function keyCommands(input: string, key: Key): readonly EditorCommand[] {
  if (key.eventType === 'release' || key.super || key.hyper) return []
  const name = nameOf(input, key)
  if (name !== undefined) return name === null ? [] : [{ name }]
  // What was typed quickly arrives in one event: "hello", or even "hello\r".
  return controls.test(input) ? splitTyped(input) : [{ name: 'insert', text: input }]
}

/** `null` if the key does nothing here; `undefined` if it is text. */
function nameOf(input: string, key: Key): Name | null | undefined {
  const isModified = key.ctrl || key.meta
  if (key.return) return isModified || key.shift ? 'newline' : 'enter'
  if (key.escape) return 'escape'
  if (key.tab) return isModified || key.shift ? null : 'tab'
  if (key.backspace) return isModified ? 'kill-word-left' : 'backspace'
  if (key.delete) return isModified ? 'kill-word-right' : 'delete'
  if (key.leftArrow) return isModified ? 'word-left' : 'left'
  if (key.rightArrow) return isModified ? 'word-right' : 'right'
  if (key.upArrow) return isModified ? null : 'up'
  if (key.downArrow) return isModified ? null : 'down'
  if (key.home) return key.ctrl ? 'text-start' : 'line-start'
  if (key.end) return key.ctrl ? 'text-end' : 'line-end'
  if (key.ctrl) return byControl[input.toLowerCase()] ?? null
  if (key.meta) return byMeta[input.toLowerCase()] ?? null
  return input === '' ? null : undefined
}

function splitTyped(input: string): EditorCommand[] {
  return Array.from(input.match(controlsAndText) ?? []).flatMap((part): EditorCommand[] => {
    if (!controls.test(part)) return [{ name: 'insert', text: part }]
    if (part === '\x7f') return [{ name: 'backspace' }]
    const code = part.charCodeAt(0)
    const name = byControl[String.fromCharCode(code + (code <= 26 ? 96 : 64))]
    return name === undefined ? [] : [{ name }]
  })
}
