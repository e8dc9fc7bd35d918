import type { CommandAgent } from './command-host.ts'
import type { CommandResult } from './slash-command.ts'

/** `/usage`. */
export function showUsage(agent: Pick<CommandAgent, 'usage' | 'turnUsage'>): CommandResult {
  const turn = agent.turnUsage()
  const conversation = agent.usage()
  const row = (label: string, key: keyof typeof turn): readonly string[] => [
    label,
    show(turn[key], key),
    show(conversation[key], key),
  ]
  // Without prices, nothing is known about the cost.
  const money = conversation.money === null || conversation.money === 0 ? [] : [row('cost', 'money')]
  return {
    type: 'table',
    columns: ['', 'last turn', 'conversation'],
    rows: [
      row('requests', 'requests'),
      row('input tokens', 'inputTokens'),
      row('  from the cache', 'cacheReadTokens'),
      row('output tokens', 'outputTokens'),
      ...money,
    ],
  }
}

function show(value: number | null, key: string): string {
  if (value === null) return 'unknown'
  return key === 'money' ? value.toFixed(4) : value.toLocaleString('en-US')
}
