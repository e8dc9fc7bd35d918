import { createContext, type ReactNode, use, useMemo } from 'react'
import type { CallSource, ConversationSource } from './sources.ts'

interface Sources {
  readonly runtime: CallSource
  readonly agent: ConversationSource | null
}

const SourcesContext = createContext<Sources | null>(null)

export interface CurfewProviderProps {
  /** A runtime, or a mirror of one. The hooks subscribe again if it is another object. */
  readonly runtime: CallSource
  /** The agent whose conversation is shown. */
  readonly agent?: ConversationSource | undefined
  readonly children?: ReactNode
}

/** Passes a runtime, and the agent whose conversation is shown, to the hooks. */
export function CurfewProvider({ runtime, agent, children }: CurfewProviderProps): ReactNode {
  // A new object would render every component that uses a hook.
  const sources = useMemo(() => ({ runtime, agent: agent ?? null }), [runtime, agent])
  return <SourcesContext value={sources}>{children}</SourcesContext>
}

export function useSources(): Sources {
  const sources = use(SourcesContext)
  if (sources === null) throw new Error('expected a <CurfewProvider> around this component')
  return sources
}
