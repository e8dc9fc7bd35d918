import type { Style } from '../theme/theme.ts'
import { foldLine, oneRow } from './fold-line.ts'
import type { FormLinesOptions } from './form-lines.ts'
import { cutExactly, joinParts } from './join-parts.ts'
import { prose } from './question-body.ts'
import type { MenuEntry, MenuSnapshot } from './question-form.ts'

/** The entries of a menu with their keys, or only their keys if there is little room. */
export function menuLines(menu: MenuSnapshot, options: FormLinesOptions): string[] {
  const { width, theme, isCompact, maxRows } = options
  const note = menu.note === '' ? [] : prose(menu.note, width).map(theme.muted)
  const hasLetters = menu.entries.every(({ letter }) => letter !== '')
  if (isCompact && hasLetters) return [...note, ...compactMenu(menu, options)]
  const room = hasLetters ? Number.POSITIVE_INFINITY : maxRows - note.length
  return [...note, ...visibleEntries(menu, { ...options, maxRows: room })]
}

/** The entries around the selected one that fit, and how many are left out. */
function visibleEntries({ entries, selected }: MenuSnapshot, options: FormLinesOptions): string[] {
  const { theme, maxRows } = options
  const rowsOf = (entry: MenuEntry, index: number): string[] =>
    entryLines(entry, index, { ...options, isSelected: index === selected, total: entries.length })
  if (entries.length <= maxRows) {
    const all = entries.flatMap(rowsOf)
    if (all.length <= maxRows) return all
  }
  const room = Math.max(1, maxRows - 2)
  let shown: string[] = []
  let [first, end] = [selected, selected]
  const add = (index: number): boolean => {
    const entry = entries[index]
    const rows = entry === undefined ? null : rowsOf(entry, index)
    if (rows === null || (shown.length > 0 && shown.length + rows.length > room)) return false
    shown = index < first ? [...rows, ...shown] : [...shown, ...rows]
    first = Math.min(first, index)
    end = Math.max(end, index + 1)
    return true
  }
  while (add(end));
  while (add(first - 1));
  const above = first > 0 ? [theme.muted(`  … ${first} above`)] : []
  const below = end < entries.length ? [theme.muted(`  … ${entries.length - end} below`)] : []
  return [...above, ...shown, ...below]
}

const maxEntryRows = 3

interface EntryOptions extends FormLinesOptions {
  readonly isSelected: boolean
  readonly total: number
}

function entryLines(
  { letter, label, detail }: MenuEntry,
  index: number,
  { width, theme, isReady, isSelected, total }: EntryOptions,
): string[] {
  const lead = `${index + 1}. `.padStart(String(total).length + 2)
  const room = width - 2 - lead.length
  const name = oneRow(label) + (letter === '' ? '' : ` (${letter})`)
  const rows = detail === '' ? foldLine(name, room) : [cutExactly(`${name}: ${oneRow(detail)}`, room)]
  const shown = rows.slice(0, maxEntryRows)
  if (rows.length > maxEntryRows) shown.push(cutExactly(shown.pop()! + rows[maxEntryRows]!, room))
  const style = entryStyle(isSelected, isReady, theme.strong, theme.muted)
  const marker = isSelected ? (isReady ? theme.accent : theme.muted)('❯ ') : '  '
  return shown.map((row, line) =>
    line === 0 ? marker + style(lead + row) : ' '.repeat(2 + lead.length) + style(row),
  )
}

/** `y once · n no`, in as few rows as possible. */
function compactMenu(
  { entries, selected }: MenuSnapshot,
  { width, theme, isReady }: FormLinesOptions,
): string[] {
  const parts = entries.map(({ letter, short }, index) => ({
    text: `${letter} ${short}`,
    style: entryStyle(index === selected, isReady, theme.selected, theme.muted),
  }))
  return joinParts(parts, width)
}

function entryStyle(isSelected: boolean, isReady: boolean, selected: Style, muted: Style): Style {
  if (!isReady) return muted
  return isSelected ? selected : (text) => text
}
