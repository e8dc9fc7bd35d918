import type { Candidate } from '@curfew/agent'
import { cleanInput } from './clean-input.ts'
import { boundaryBefore, nearestBoundary } from './graphemes.ts'
import { replaceRange, type TextState } from './text-state.ts'

/** What the word at the cursor can become. Never empty. */
export interface CompletionMenu {
  readonly candidates: readonly Candidate[]
  readonly selected: number
  /** Whether the person chose the selected one. */
  readonly isMoved: boolean
}

export type Complete = (text: string, cursor: number) => readonly Candidate[]

/** `null` if there is nothing to complete. An error is not worth disturbing someone who types. */
export function openMenu({ text, cursor }: TextState, complete: Complete): CompletionMenu | null {
  if (!isCompletable(text, cursor)) return null
  try {
    // A file name with control characters cannot be typed.
    const candidates = complete(text, cursor).filter(({ value }) => value === cleanInput(value))
    return candidates.length === 0 ? null : { candidates, selected: 0, isMoved: false }
  } catch {
    return null
  }
}

export function moveSelection(menu: CompletionMenu, step: 1 | -1): CompletionMenu {
  const { candidates, selected } = menu
  const { length } = candidates
  return { candidates, selected: (selected + step + length) % length, isMoved: true }
}

/** What Tab does: the selected candidate if the person moved to it, otherwise what all have in common, if that is more than was typed. */
export function acceptWithTab(state: TextState, menu: CompletionMenu): TextState {
  const common = menu.isMoved ? null : commonStart(state.text, menu.candidates)
  return common ?? acceptSelected(state, menu)
}

/** Adds a space after what is complete. A folder or the name of a server can be continued. */
export function acceptSelected(state: TextState, { candidates, selected }: CompletionMenu): TextState {
  const { value, start, end } = candidates[selected]!
  if (/[/:]$/.test(value)) return replaceRange(state, start, end, value)
  const isFollowed = state.text[end] === ' '
  return replaceRange(state, start, end + Number(isFollowed), `${value} `)
}

/**
 * Whether Enter completes the text instead of submitting it: if the person chose a candidate, or typed the start of a
 * command's name, which could only be rejected.
 */
export function isAcceptedByEnter({ text, cursor }: TextState, menu: CompletionMenu): boolean {
  const { value, start, end } = menu.candidates[menu.selected]!
  const typed = text.slice(start, end).toLowerCase()
  const selected = value.toLowerCase()
  if (menu.isMoved) return selected !== typed
  const isName =
    typed.startsWith('/') && text.slice(0, start).trim() === '' && text.slice(cursor).trim() === ''
  const isComplete = menu.candidates.some((candidate) => candidate.value.toLowerCase() === typed)
  return isName && !isComplete && selected.startsWith(typed)
}

/** Cheap, because it is called for each key. */
function isCompletable(text: string, cursor: number): boolean {
  const start = Math.max(0, cursor - 1_000)
  const word = text.slice(start, cursor).split(/\s/).at(-1)!
  return word.startsWith('@') || /^\s*\//.test(text.slice(0, 100))
}

function commonStart(text: string, candidates: readonly Candidate[]): TextState | null {
  const { start, end } = candidates[0]!
  const typed = text.slice(start, end)
  const matching = candidates.map(({ value }) => value).filter((value) => startsWith(value, typed))
  const [first, ...others] = matching
  if (first === undefined || others.length === 0) return null
  let { length } = first
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--
  // Two emoji may differ only in their second half.
  if (nearestBoundary(first, length) !== length) length = boundaryBefore(first, length)
  return length > typed.length
    ? replaceRange({ text, cursor: end }, start, end, first.slice(0, length))
    : null
}

function startsWith(value: string, typed: string): boolean {
  return value.toLowerCase().startsWith(typed.toLowerCase())
}
