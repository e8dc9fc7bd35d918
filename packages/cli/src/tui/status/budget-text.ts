import type { Agent } from '@curfew/agent'
import type { Config } from '@curfew/extensions'

/** How much of the budget is used: of the turn, or else of the conversation; `null` without one. */
export function budgetText(
  { turn, conversation }: Config['agent']['budget'],
  agent: Pick<Agent, 'turnUsage' | 'usage'>,
): string | null {
  const [budget, used] = turn === undefined ? [conversation, agent.usage()] : [turn, agent.turnUsage()]
  if (budget === undefined) return null
  const { tokens, money } = budget
  if (money !== undefined && used.money !== null) return `cost ${used.money.toFixed(2)}/${money}`
  if (tokens === undefined) return null
  return `${thousands(used.inputTokens + used.outputTokens)}/${thousands(tokens)} tokens`
}

function thousands(count: number): string {
  return count < 1_000 ? String(count) : `${Math.round(count / 1_000)}k`
}
