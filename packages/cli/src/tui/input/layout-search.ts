import { cut } from '../../terminal.ts'
import type { Theme } from '../theme/theme.ts'
import { drawGrapheme, graphemesOf } from './graphemes.ts'
import { type HistorySearch, matchOf } from './history-search.ts'

/** The line below the match, with the column of the cursor. */
export function layoutSearch(
  search: HistorySearch,
  { width, theme }: { readonly width: number; readonly theme: Theme },
): { readonly line: string; readonly x: number } {
  const label = width < 20 ? '' : 'search: '
  const query = endOf(search.query, Math.max(0, width - label.length - 1))
  const x = label.length + query.width
  const room = width - x - 2
  const help = room < 8 ? '' : `  ${cut(describe(search), room)}`
  return { line: theme.accent(label) + query.shown + theme.muted(help), x }
}

function describe(search: HistorySearch): string {
  if (matchOf(search) === null) return 'no match · Esc cancels'
  const { selected, matches } = search
  return `${selected + 1} of ${matches.length} · Ctrl-R older · Enter edits it · Esc cancels`
}

/** The end of a string, where someone types. */
function endOf(text: string, columns: number): { readonly shown: string; readonly width: number } {
  let shown = ''
  let width = 0
  for (const grapheme of Array.from(graphemesOf(text)).reverse()) {
    const drawn = drawGrapheme(grapheme)
    if (width + drawn.width > columns) break
    width += drawn.width
    shown = drawn.shown + shown
  }
  return { shown, width }
}
