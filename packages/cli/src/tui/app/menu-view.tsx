import { Text } from 'ink'
import type { ReactNode } from 'react'
import { cut, oneLine, widthOf } from '../../terminal.ts'
import { fitLine } from '../calls/fit-line.ts'
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
  const shown = entries.slice(first, first + room)
  const labelWidth = Math.min(40, Math.max(0, ...shown.map(({ label }) => widthOf(oneLine(label))))) + 2
  const lines = shown.map((entry, offset) => {
    const { key, label, description = '' } = entry
    const isSelected = first + offset === selected
    const name = fitLine(oneLine(label), 200)
    const gap = ' '.repeat(Math.max(0, labelWidth - widthOf(name)))
    const lead = `${isSelected ? '❯' : ' '} ${key === undefined ? '' : `${key}  `}${name}${gap}`
    const line = fitLine(`${lead}${oneLine(description)}`, width)
    return isSelected ? theme.selected(line) : line
  })
  const hidden = entries.length - lines.length
  const more = hidden > 0 ? `${hidden} more · ` : ''
  const help = `${more}↑↓ Enter: choose · Esc: close${isInterrupt ? ' · Ctrl-C: exit' : ''}`
  return [theme.strong(cut(title, width)), ...lines, theme.muted(cut(help, width))]
}
