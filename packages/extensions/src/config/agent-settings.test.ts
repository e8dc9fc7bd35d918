import { expect, test } from 'vitest'
import { toAgentSettings } from './agent-settings.ts'
import { emptyLayer, toLayer } from './load-config.ts'
import { mergeConfig } from './merge-config.ts'

function settingsOf(user: object) {
  const layers = { project: emptyLayer, environment: emptyLayer, flags: emptyLayer }
  return toAgentSettings(mergeConfig({ ...layers, user: toLayer(user, 'user.json', 'user') }).values, null)
}

test('without configuration, there is no budget, and the default timeouts apply', () => {
  expect(settingsOf({})).toEqual({
    budget: {},
    modelTimeouts: { firstToken: 60_000, idle: 60_000, total: 600_000 },
    checkpoints: true,
    fetchAllow: [],
    externalAgents: {},
    maxSubagentMs: null,
  })
})

test('reads budgets, timeouts and checkpoints', () => {
  const budget = { turn: { tokens: 1_000, money: 0.5 }, conversation: { tokens: 9_000 } }
  const fetchAllow = ['localhost:3000', '10.1.0.0/16']
  const settings = settingsOf({ budget, modelTimeouts: { idle: '5s', total: 90_000 }, fetchAllow })
  expect(settings).toMatchObject({
    budget,
    modelTimeouts: { firstToken: 60_000, idle: 5_000, total: 90_000 },
    fetchAllow,
  })
})

test('reads external agents; one without a command has no effect', () => {
  const mine = { command: ['agent', '--task={task}'], format: 'text' }
  const externalAgents = { mine, claude: { command: ['npx', 'claude'] }, none: { format: 'codex' } }
  const { externalAgents: read } = settingsOf({ externalAgents })
  expect(read).toEqual({ mine, claude: { command: ['npx', 'claude'] } })
})
