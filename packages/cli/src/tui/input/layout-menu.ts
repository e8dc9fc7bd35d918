import { cut, widthOf } from '../../terminal.ts'
import type { Theme } from '../theme/theme.ts'
import type { CompletionMenu } from './completion-menu.ts'
import { indentOf } from './wrap-input.ts'

/** Eight candidates, and their number. */
export const maxCompletionRows = 9
const gap = '  '
/** In a narrower column, a description says nothing. */
const minDescriptionWidth = 10

/** One line per candidate, at most eight, then how many there are if that is more. */
export function layoutMenu(
  { candidates, selected }: CompletionMenu,
  {
    width,
    theme,
    maxRows = maxCompletionRows,
  }: { readonly width: number; readonly theme: Theme; readonly maxRows?: number },
): string[] {
  const { length } = candidates
  const maxShown = shownOf(length, maxRows)
  const first = Math.max(0, Math.min(selected - Math.floor(maxShown / 2), length - maxShown))
  const shown = candidates.slice(first, first + maxShown)
  const indent = indentOf(width)
  const room = Math.max(1, width - indent)
  const widest = Math.max(...shown.map(({ value }) => widthOf(value)))
  const valueWidth = Math.min(widest, room, Math.max(20, Math.floor(room / 2)))
  const descriptionWidth = room - valueWidth - gap.length
  const lines = shown.map(({ value, description }, index) => {
    const name = cut(value, valueWidth)
    const padded = name + ' '.repeat(Math.max(0, valueWidth - widthOf(name)))
    const rest = descriptionWidth < minDescriptionWidth ? '' : gap + cut(description, descriptionWidth)
    if (first + index === selected) return '❯ '.slice(0, indent) + theme.selected(padded + rest)
    return ' '.repeat(indent) + padded + theme.muted(rest)
  })
  if (length <= maxShown) return lines
  return [...lines, ' '.repeat(indent) + theme.muted(cut(`${selected + 1} of ${length}`, room))]
}

/** The height of the list. */
export function completionRows({ candidates }: CompletionMenu, maxRows: number): number {
  const shown = shownOf(candidates.length, maxRows)
  return candidates.length <= shown ? candidates.length : shown + 1
}

/** The last row is for the number of candidates, if they do not all fit. */
function shownOf(length: number, maxRows: number): number {
  const rows = Math.max(2, Math.min(maxRows, maxCompletionRows))
  return length < rows ? length : rows - 1
}
