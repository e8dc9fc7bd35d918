import { useConversation } from '@curfew/react'
import { Text } from 'ink'
import { memo, type ReactNode } from 'react'
import type { OpenedAgent } from '../../agent/open-agent.ts'
import type { Layout } from '../transcript/transcript.ts'
import { budgetText } from './budget-text.ts'
import { statusText } from './status-text.ts'

interface StatusBarProps {
  readonly opened: OpenedAgent
  readonly layout: Layout
  /** The turn whose calls are counted. */
  readonly turn: string | null
  readonly running: number
  readonly background: number
  readonly warnings: number
}

/** Model, mode, context, calls, budget, and what is running. */
export const StatusBar: (props: StatusBarProps) => ReactNode = memo(function StatusBar({
  opened,
  layout,
  turn,
  running,
  background,
  warnings,
}: StatusBarProps): ReactNode {
  const mode = useConversation((conversation) => conversation.mode) ?? 'ask'
  const context = useConversation((conversation) => conversation.context)
  useConversation((conversation) => conversation.model)
  const status = {
    model: opened.model(),
    mode,
    context,
    calls: turn === null ? null : callsOf(opened, turn),
    budget: budgetText(opened.config.agent.budget, opened.agent),
    running,
    background,
    warnings,
  }
  return <Text>{statusText(status, layout.width, layout.theme)}</Text>
})

function callsOf({ runtime }: OpenedAgent, turn: string): { made: number; limit: number | null } | null {
  const { calls, callsLeft } = runtime.turnStatus(turn)
  if (calls === 0) return null
  return { made: calls, limit: Number.isFinite(callsLeft) ? calls + callsLeft : null }
}
