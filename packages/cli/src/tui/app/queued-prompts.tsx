import { Text } from 'ink'
import { memo, type ReactNode } from 'react'
import { cut } from '../../terminal.ts'
import type { Layout } from '../transcript/transcript.ts'

interface QueuedPromptsProps {
  readonly queued: readonly string[]
  readonly layout: Layout
}

const maxShown = 3

/** What was typed during the turn and has not been sent. */
export const QueuedPrompts: (props: QueuedPromptsProps) => ReactNode = memo(function QueuedPrompts({
  queued,
  layout,
}: QueuedPromptsProps): ReactNode {
  if (queued.length === 0) return null
  const { width, theme } = layout
  const lines = queued.slice(-maxShown).map((text) => `queued: ${text}`)
  const all = [...lines, '↑ edits the last one · enter sends now']
  return <Text>{all.map((line) => theme.muted(`  ${cut(line, width - 2)}`)).join('\n')}</Text>
})
