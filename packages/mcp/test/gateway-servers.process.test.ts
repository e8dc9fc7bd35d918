import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { left, untilNoneLeft } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { stageServers } from './helpers/server-stage.ts'

test('an added server is started and announced; a removed one disappears; an unchanged one is not touched', async () => {
  const { gateway, server, call, tools, notified } = await stageServers(['a', 'one'])
  const before = await call('mcp__a__who')
  notified.length = 0
  const a = server('a', ['one'])
  expect(await gateway.setServers([a, server('b', ['two'])])).toEqual({
    added: ['b'],
    removed: [],
    changed: [],
    unchanged: ['a'],
  })
  await until(() => notified.includes('tools'))
  expect(await tools()).toEqual(['mcp__a__hold', 'mcp__a__who', 'mcp__b__hold', 'mcp__b__who'])
  expect(await call('mcp__b__who')).toMatch(/^two /)
  expect(await gateway.setServers([a])).toMatchObject({ removed: ['b'], unchanged: ['a'] })
  expect(await tools()).toEqual(['mcp__a__hold', 'mcp__a__who'])
  await expect(call('mcp__b__who')).rejects.toThrow('unknown tool "mcp__b__who"')
  expect(await call('mcp__a__who')).toBe(before)
})

test('nothing is announced if nothing changes', async () => {
  const { gateway, server, tools, notified } = await stageServers(['a', 'one'])
  await tools()
  await until(() => notified.length > 0)
  notified.length = 0
  expect(await gateway.setServers([server('a', ['one'])])).toMatchObject({ unchanged: ['a'] })
  await gateway.setServers([server('a', ['one'], { timeoutMs: 5_000 })])
  await tools()
  expect(notified).toEqual([])
})

test('an open call ends on the old process, which is then closed; new calls go to the new one', async () => {
  const { gateway, server, call, folder, tag } = await stageServers(['a', 'one'])
  const first = await call('mcp__a__who')
  const file = join(folder, 'go')
  const held = call('mcp__a__hold', { file })
  await until(() => gateway.runtime.getSnapshot().calls.some(({ status }) => status === 'executing'))
  expect(await gateway.setServers([server('a', ['two'])])).toMatchObject({ changed: ['a'] })
  expect(await call('mcp__a__who')).toMatch(/^two /)
  expect(left(tag)).toHaveLength(2)
  await writeFile(file, '')
  expect(await held).toBe(first)
  await until(() => left(tag).length === 1)
})

test('an open call of a removed server ends', async () => {
  const { gateway, call, folder, tag, tools } = await stageServers(['a', 'one'])
  const file = join(folder, 'go')
  const held = call('mcp__a__hold', { file })
  await until(() => gateway.runtime.getSnapshot().calls.some(({ status }) => status === 'executing'))
  await gateway.setServers([])
  expect(await tools()).toEqual([])
  await writeFile(file, '')
  expect(await held).toMatch(/^one /)
  await untilNoneLeft(tag)
})

test('settings are applied without a restart', async () => {
  const { gateway, server, call, tools } = await stageServers(['a', 'one'])
  const before = await call('mcp__a__who')
  const changes = await gateway.setServers([
    server('a', ['one'], { exclude: ['hold'], timeoutMs: 7_000, trust: true }),
  ])
  expect(changes).toMatchObject({ changed: ['a'] })
  expect(await tools()).toEqual(['mcp__a__who'])
  expect(gateway.runtime.timeoutOf('mcp__a__who')).toMatchObject({ timeoutMs: 7_000 })
  expect(await call('mcp__a__who')).toBe(before)
})

test('restart replaces the process', async () => {
  const { gateway, call } = await stageServers(['a', 'one'])
  const before = await call('mcp__a__who')
  expect(await gateway.restart('b')).toBe(false)
  expect(await gateway.restart('a')).toBe(true)
  const after = await call('mcp__a__who')
  expect(after).toMatch(/^one /)
  expect(after).not.toBe(before)
})

test('a server that could not be started is used as soon as it is corrected', async () => {
  const { gateway, server, call } = await stageServers()
  const target = { kind: 'stdio', command: '/no/such/program', args: [], env: {}, cwd: undefined } as const
  await gateway.setServers([server('a', [], { target })])
  await expect(call('mcp__a__who')).rejects.toThrow('could not be started')
  await gateway.setServers([server('a', ['one'])])
  expect(await call('mcp__a__who')).toMatch(/^one /)
})

test('subscriptions move to the new process', async () => {
  const { gateway, server, client } = await stageServers(['a', 'one'])
  let updates = 0
  client.setNotificationHandler('notifications/resources/updated', () => void updates++)
  await client.subscribeResource({ uri: 'label://page' })
  await until(() => updates === 1)
  await gateway.setServers([server('a', ['two'])])
  await until(() => updates === 2)
})

test('changes that overlap are made one after the other, and none after the end', async () => {
  const { gateway, server, call, tag } = await stageServers(['a', 'one'])
  await call('mcp__a__who')
  await Promise.all(['two', 'three', 'four'].map((label) => gateway.setServers([server('a', [label])])))
  expect(await call('mcp__a__who')).toMatch(/^four /)
  const last = gateway.setServers([server('a', ['five']), server('b', ['six'])])
  await gateway.close()
  await last
  await untilNoneLeft(tag)
})
