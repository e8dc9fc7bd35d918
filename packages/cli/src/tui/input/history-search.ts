import { cleanInput } from './clean-input.ts'
import { boundaryBefore } from './graphemes.ts'
import type { EditorCommand } from './key-commands.ts'

/** An incremental search in the history, newest first. */
export interface HistorySearch {
  readonly query: string
  readonly matches: readonly string[]
  /** The index of the shown match. */
  readonly selected: number
}

const maxQueryLength = 200

export function searchHistory(entries: readonly string[], query: string): HistorySearch {
  const wanted = query.slice(0, maxQueryLength)
  const found = wanted.toLowerCase()
  // Reversed first, so that of equal entries the newest is kept.
  const matches = new Set(entries.toReversed().filter((entry) => entry.toLowerCase().includes(found)))
  return { query: wanted, matches: [...matches], selected: 0 }
}

/** Stays at the last match, so that a person notices the end. */
function nextMatch(search: HistorySearch, step: 1 | -1): HistorySearch {
  const selected = Math.max(0, Math.min(search.selected + step, search.matches.length - 1))
  return selected === search.selected ? search : { ...search, selected }
}

export function matchOf({ matches, selected }: HistorySearch): string | null {
  return matches[selected] ?? null
}

export type SearchStep =
  | { readonly search: HistorySearch }
  | { readonly search: null; readonly taken: string | null }

/** What a key does in a search. Keys without a meaning there take the match, as in a shell. */
export function stepSearch(
  search: HistorySearch,
  command: EditorCommand,
  entries: readonly string[],
): SearchStep {
  const { query } = search
  switch (command.name) {
    case 'insert':
      return { search: extendSearch(search, command.text, entries) }
    case 'backspace':
      return { search: searchHistory(entries, query.slice(0, boundaryBefore(query, query.length))) }
    case 'kill-line-start':
      return { search: searchHistory(entries, '') }
    case 'search':
    case 'up':
      return { search: nextMatch(search, 1) }
    case 'down':
      return { search: nextMatch(search, -1) }
    case 'escape':
    case 'cancel-search':
      return { search: null, taken: null }
    default:
      return { search: null, taken: matchOf(search) }
  }
}

export function extendSearch(search: HistorySearch, text: string, entries: readonly string[]): HistorySearch {
  return searchHistory(entries, search.query + cleanInput(text.slice(0, maxQueryLength)).replace(/\s+/g, ' '))
}
