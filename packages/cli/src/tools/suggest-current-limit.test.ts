import type { Config } from '@curfew/extensions'
import type { ToolLimit, ToolTimes } from '@curfew/journal'
import { expect, test } from 'vitest'
import { currentLimit, decidingPattern } from './suggest-current-limit.ts'

type Options = Partial<Config['options']>

function config(
  options: Options = {},
  settings: Config['settings'] = [],
): Pick<Config, 'options' | 'settings'> {
  return { options: { approval: { rules: { allow: [], ask: [], deny: [] } }, ...options }, settings }
}

function tool(name: string, ...limits: Partial<ToolLimit>[]): ToolTimes {
  return {
    tool: name,
    background: false,
    counts: { success: 0, error: 0, cancelled: 0, lost: 0, running: 0 },
    successMs: new Float64Array(),
    errorMs: new Float64Array(),
    failures: [],
    lastSuccessAt: null,
    limits: limits.map((limit) => ({
      timeoutMs: 60_000,
      timeoutSource: 'adapter',
      requestedMs: 60_000,
      requestedSource: 'adapter',
      adapter: 'mcp-stdio',
      ...limit,
    })),
  }
}

test('follows the configuration, not the limit that was recorded', () => {
  const limit = currentLimit(tool('mcp__a__b', {}), config({ timeouts: { 'mcp-stdio': 5_000 } }))
  expect(limit).toMatchObject({ timeoutMs: 5_000, setBy: 'timeouts.mcp-stdio in the configuration' })
  expect(currentLimit(tool('mcp__a__b', {}), config())).toMatchObject({
    timeoutMs: 60_000,
    setBy: "its adapter's default",
    maxMs: 2 ** 31 - 1,
  })
})

test('the longest pattern wins, and its file is named', () => {
  const tools = {
    'mcp__*': { timeout: 3_000 },
    mcp__a__b: { timeout: 7_000 },
    'mcp__a__*': { readOnly: true },
  }
  const settings: Config['settings'] = [
    {
      key: 'tools.mcp__a__b.timeout',
      kind: 'duration',
      value: 7_000,
      source: 'user',
      file: '/etc/x/config.json',
    },
  ]
  expect(currentLimit(tool('mcp__a__b', {}), config({ tools }, settings))).toMatchObject({
    timeoutMs: 7_000,
    setBy: 'tools.mcp__a__b.timeout in /etc/x/config.json',
  })
  expect(decidingPattern('mcp__a__c', config({ tools }))).toBe('mcp__*')
  expect(decidingPattern('other', config({ tools }))).toBeNull()
})

test("the tool's own timeout is known from its calls, also below a setting that is gone", () => {
  const own = { requestedSource: 'server', requestedMs: 20_000 }
  const overridden = { requestedSource: 'tools', requestedMs: 9_000 }
  expect(currentLimit(tool('mcp__a__b', overridden, own), config())).toMatchObject({
    timeoutMs: 20_000,
    setBy: "its server's timeout in mcp.json",
  })
})

test('caps are respected', () => {
  const own = { requestedSource: 'tool', requestedMs: 900_000, adapter: 'api' }
  expect(currentLimit(tool('api_x', own), config({ maxToolCallTimeout: 400_000 }))).toMatchObject({
    timeoutMs: 300_000,
    maxMs: 300_000,
  })
  expect(currentLimit(tool('api_x', own), config({ maxToolCallTimeout: 40_000 }))).toMatchObject({
    maxMs: 40_000,
  })
})

test.each([
  ['a built-in tool with a parameter for it', tool('run_command', {})],
  [
    'one with several timeouts of its own',
    tool('x', { requestedSource: 'tool', requestedMs: 1 }, { requestedSource: 'tool', requestedMs: 2 }),
  ],
])('the limit of %s depends on the call', (_, times) => {
  expect(currentLimit(times, config())).toBe('its limit depends on the call')
})

test('limits of single calls and of their parents do not count', () => {
  expect(currentLimit(tool('x', { requestedSource: 'call' }, { timeoutSource: 'parent' }), config())).toBe(
    'its calls had limits of their own',
  )
})

test('an unknown adapter has the defaults of a function', () => {
  expect(currentLimit(tool('x', { adapter: 'constructor' }), config())).toMatchObject({ timeoutMs: 180_000 })
})
