import type { Agent, CommandHost } from '@curfew/agent'

/** `/compact`: replaces the older part of the conversation with a summary. */
export function compactHost(agent: Agent): NonNullable<CommandHost['compact']> {
  return async (instructions, signal) => {
    const notice = await agent.compact(instructions, { signal })
    return { type: 'text', text: notice?.message ?? 'There is nothing to summarize yet.' }
  }
}
