import { Text } from 'ink'
import type { ReactNode } from 'react'
import { cut, oneLine } from '../../terminal.ts'
import type { Menu } from '../session/session-state.ts'
import type { Layout } from '../transcript/transcript.ts'

interface MenuViewProps {
  readonly menu: Menu
  readonly layout: Layout
  readonly maxRows: number
}

/** A list to choose from. */
export function MenuView({ menu, layout, maxRows }: MenuViewProps): ReactNode {
  return <Text>{menuLines(menu, layout, maxRows).join('\n')}</Text>
}

export function menuLines(menu: Menu, { width, theme }: Layout, maxRows: number): string[] {
  const { title, entries, selected, isInterrupt } = menu
  const room = Math.max(1, maxRows - 2)
  const first = Math.max(0, Math.min(selected - Math.floor(room / 2), entries.length - room))
  const labelWidth = Math.min(40, Math.max(...entries.map(({ label }) => label.length))) + 2
  const lines = entries.slice(first, first + room).map((entry, offset) => {
    const { key, label, description = '' } = entry
    const isSelected = first + offset === selected
    const lead = `${isSelected ? '❯' : ' '} ${key === undefined ? '' : `${key}  `}${oneLine(label).padEnd(labelWidth)}`
    const line = cutEnd(`${lead}${oneLine(description)}`, width)
    return isSelected ? theme.selected(line) : line
  })
  const hidden = entries.length - lines.length
  const more = hidden > 0 ? `${hidden} more · ` : ''
  const help = `${more}↑↓ Enter: choose · Esc: close${isInterrupt ? ' · Ctrl-C: exit' : ''}`
  return [theme.strong(cut(title, width)), ...lines, theme.muted(cut(help, width))]
}

/** Like `cut`, but keeps the spaces between columns. */
function cutEnd(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`
}
