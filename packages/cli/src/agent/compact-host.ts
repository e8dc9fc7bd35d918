import type { Agent, CommandHost } from '@curfew/agent'

interface Compacting {
  compact?(
    instructions?: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<{ readonly message: string } | null>
}

/** `/compact`: replaces the older part of the conversation by a summary. */
export function compactHost(agent: Agent & Compacting): CommandHost['compact'] {
  if (agent.compact === undefined) return undefined
  return async (instructions, signal) => {
    const notice = await agent.compact!(instructions, { signal })
    return { type: 'text', text: notice?.message ?? 'There is nothing to summarise yet.' }
  }
}
