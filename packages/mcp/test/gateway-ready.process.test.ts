import type { Client } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { startGateway } from './helpers/gateway.ts'
import { call, hostileHome, recorded } from './helpers/hostile.ts'
import { knownTools, slackMs, toolNames } from './helpers/stage.ts'

/** Records the list_changed notifications of a client. */
function recordChanges() {
  const notified: string[] = []
  return {
    notified,
    prepare: (client: Client) => {
      for (const list of ['tools', 'prompts', 'resources'] as const)
        client.setNotificationHandler(`notifications/${list}/list_changed`, () => void notified.push(list))
    },
  }
}

test('a server that never starts does not hide the tools of the others', async () => {
  await using home = await hostileHome('never-initialize', { startTimeout: 60_000 })
  await using gateway = await startGateway(home)
  const start = performance.now()
  await toolNames(gateway)
  expect(performance.now() - start).toBeLessThan(3_000 + slackMs)
  await knownTools(gateway, ['healthy'])
  const again = performance.now()
  expect(await toolNames(gateway)).toContain('mcp__healthy__echo')
  expect(performance.now() - again).toBeLessThan(slackMs)
})

test('a slow server is left out of the first list, and the client is notified when it is ready', async () => {
  await using home = await hostileHome('starts-after-five-seconds')
  const { notified, prepare } = recordChanges()
  await using gateway = await startGateway(home, { prepare })
  expect(await toolNames(gateway)).not.toContain('mcp__hostile__echo')
  const before = notified.filter((list) => list === 'tools').length
  expect(await until(() => notified.filter((list) => list === 'tools').length > before)).toBe(true)
  expect(await toolNames(gateway)).toContain('mcp__hostile__echo')
})

test('the start of a known server sends no list_changed if nothing has changed', async () => {
  await using home = await hostileHome('answers-only-lists')
  const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']
  const fetched = (): number[] => lists.map((list) => recorded(home, list).length)
  {
    await using first = await startGateway(home)
    await knownTools(first)
    expect((await first.client.listPrompts()).prompts).toHaveLength(1)
    expect((await first.client.listResources()).resources).toHaveLength(1)
  }
  const before = fetched()
  const { notified, prepare } = recordChanges()
  await using gateway = await startGateway(home, { prepare })
  await call(gateway, 'mcp__hostile__fine')
  expect(await until(() => fetched().every((count, index) => count > before[index]!))).toBe(true)
  // The responses to the list requests arrive before the response to this call.
  await call(gateway, 'mcp__hostile__fine')
  await gateway.client.listPrompts()
  expect(notified).toEqual([])
})

test('the remaining time of a call excludes the start of its server', async () => {
  await using home = await hostileHome('starts-after-a-second', { timeout: 20_000 })
  {
    await using first = await startGateway(home)
    await knownTools(first)
  }
  await using gateway = await startGateway(home)
  await call(gateway, 'mcp__hostile__fine')
  const [called] = recorded(home, 'tools/call') as unknown as { detail: { meta: Record<string, number> } }[]
  const remaining = called!.detail.meta['curfew/remaining-ms']!
  expect(remaining).toBeGreaterThan(0)
  expect(remaining).toBeLessThanOrEqual(19_000)
})
