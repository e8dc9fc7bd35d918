import type { AgentSnapshot } from '@curfew/agent'
import type { CallRow, CallSnapshot } from '@curfew/core/rows'
import { createContext, type ReactNode, use } from 'react'

/** Where the hooks read calls from: a runtime, or a mirror of one in a browser. */
export interface CallSource {
  /** The same object while nothing changes. */
  getSnapshot(): CallSnapshot
  getCall(uid: number): CallRow | undefined
  subscribe(listener: () => void): () => void
  subscribeCall(uid: number, listener: () => void): () => void
}

/** Where the hooks read a conversation from: an agent. */
export interface ConversationSource {
  /** The same object while nothing changes. */
  getSnapshot(): AgentSnapshot
  subscribe(listener: () => void): () => void
}

interface Sources {
  readonly runtime: CallSource
  readonly agent: ConversationSource | null
}

const SourcesContext = createContext<Sources | null>(null)

export interface CurfewProviderProps {
  readonly runtime: CallSource
  readonly agent?: ConversationSource | undefined
  readonly children?: ReactNode
}

/** Passes a runtime, and the agent whose conversation is shown, to the hooks. */
export function CurfewProvider({ runtime, agent, children }: CurfewProviderProps): ReactNode {
  return <SourcesContext value={{ runtime, agent: agent ?? null }}>{children}</SourcesContext>
}

export function useSources(): Sources {
  const sources = use(SourcesContext)
  if (sources === null) throw new Error('expected a <CurfewProvider> around this component')
  return sources
}
