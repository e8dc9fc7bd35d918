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
  /** A turn is running. */
  readonly isWorking: boolean
  readonly running: number
  readonly background: number
  readonly warnings: number
}

/** Model, mode, context, calls, budget, and what is running. */
export const StatusBar: (props: StatusBarProps) => ReactNode = memo(function StatusBar({
  opened,
  layout,
  isWorking,
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
    calls: isWorking ? callsOf(opened) : null,
    budget: budgetText(opened.config.agent.budget, opened.agent),
    running,
    background,
    warnings,
  }
  return <Text>{statusText(status, layout.width, layout.theme)}</Text>
})

function callsOf({ agent }: OpenedAgent): { made: number; limit: number | null } | null {
  const { calls, callsLeft } = agent.turnStatus() ?? { calls: 0, callsLeft: 0 }
  if (calls === 0) return null
  return { made: calls, limit: Number.isFinite(callsLeft) ? calls + callsLeft : null }
}
