import { Text } from 'ink'
import { memo, type ReactNode } from 'react'
import { cut } from '../../terminal.ts'
import type { Layout } from '../transcript/transcript.ts'

interface QueuedPromptsProps {
  readonly queued: readonly string[]
  readonly layout: Layout
  readonly maxRows: number
}

const maxShown = 3

/** What was typed during the turn and has not been sent. */
export const QueuedPrompts: (props: QueuedPromptsProps) => ReactNode = memo(function QueuedPrompts({
  queued,
  layout,
  maxRows,
}: QueuedPromptsProps): ReactNode {
  if (queued.length === 0) return null
  const { width, theme } = layout
  const lines = queued.slice(-Math.max(1, Math.min(maxShown, maxRows - 1))).map((text) => `queued: ${text}`)
  const all = [...lines, '↑ edits the last one · Enter sends now'].slice(0, maxRows)
  return <Text>{all.map((line) => theme.muted(`  ${cut(line, width - 2)}`)).join('\n')}</Text>
})

/** The height that shows what matters. */
export function queuedRows(queued: number): number {
  return queued === 0 ? 0 : Math.min(queued, maxShown) + 1
}
