import { Text } from 'ink'
import type { ReactNode } from 'react'
import { cut } from '../../terminal.ts'
import type { InterruptChoice } from '../keys/interrupt-choices.ts'
import type { Layout } from '../transcript/transcript.ts'

interface InterruptMenuProps {
  readonly choices: readonly InterruptChoice[]
  readonly selected: number
  readonly layout: Layout
}

/** What Ctrl-C offers while something is running. */
export function InterruptMenuView({ choices, selected, layout }: InterruptMenuProps): ReactNode {
  const { width, theme } = layout
  const lines = choices.map(({ key, label }, index) => {
    const line = cut(`${index === selected ? '›' : ' '} ${key}  ${label}`, width)
    return index === selected ? theme.selected(line) : line
  })
  const help = cut('Enter: choose · Esc: go on · Ctrl-C: exit', width)
  return <Text>{[theme.strong('Something is running.'), ...lines, theme.muted(help)].join('\n')}</Text>
}
