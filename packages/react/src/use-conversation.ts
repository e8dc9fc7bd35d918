import type { AgentSnapshot } from '@curfew/agent'
import { useSources } from './curfew-provider.tsx'
import { useSelected } from './use-selected.ts'

/**
 * The agent's conversation: items, what the model is writing, streaming state, queued prompts, submission, context, mode and model. Renders
 * with every change, such as every piece of text; with `select`, only when what it returns changes:
 * `useConversation((conversation) => conversation.items)`.
 */
export function useConversation(): AgentSnapshot
export function useConversation<T>(select: (conversation: AgentSnapshot) => T): T
export function useConversation(select: (conversation: AgentSnapshot) => unknown = (all) => all): unknown {
  const { agent } = useSources()
  if (agent === null)
    throw new Error(
      'useConversation: expected an agent, as in <CurfewProvider runtime={runtime} agent={agent}>',
    )
  return useSelected(agent, select)
}
