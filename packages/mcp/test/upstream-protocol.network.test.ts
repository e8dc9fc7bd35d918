import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { answerText, serveMcp, startFakeServer } from './helpers/fake-server.ts'
import { remoteUpstream } from './helpers/remote-upstream.ts'
import { stdioUpstream } from './helpers/stdio-upstream.ts'

const { signal } = new AbortController()
const act = { method: 'tools/call', params: { name: 'act', arguments: {} } }

test('a 2026 server that never accepts subscriptions/listen starts and is called without delay', async () => {
  // Nothing is waited for: with this clock, no time passes.
  const { upstream, recorded } = await stdioUpstream({
    mode: 'never-accepts-subscriptions',
    clock: createFakeClock(),
  })
  await upstream.connect(signal)
  expect(upstream.listing?.era).toBe('modern')
  expect(await upstream.request(act, { signal })).toMatchObject({ content: [{ text: 'done' }] })
  expect(recorded('subscriptions/listen')).toHaveLength(1)
})

test('a 2026 server reports changes of its lists through subscriptions/listen', async () => {
  const { upstream, recorded } = await stdioUpstream({ mode: 'reports-list-changes' })
  await upstream.connect(signal)
  await until(() => recorded('subscriptions/listen').length === 1)
  await upstream.request(act, { signal })
  await until(() => upstream.listing?.tools.some(({ name }) => name === 'new_0') === true)
})

test.for(['reports-list-changes', 'never-accepts-subscriptions'])(
  'stopping a server is not reported as a lost subscription: %s',
  async (mode) => {
    const { upstream, recorded, running, logged } = await stdioUpstream({ mode })
    await upstream.connect(signal)
    await until(() => recorded('subscriptions/listen').length === 1)
    await upstream.disconnect()
    await until(() => running().length === 0)
    await upstream.close()
    expect(logged).toEqual([])
  },
)

test('a server pinned to a 2025 version is initialized with it and not probed', async () => {
  const { upstream, recorded } = await stdioUpstream({ settings: { protocol: '2025-06-18' } })
  await upstream.connect(signal)
  expect(upstream.listing).toMatchObject({ era: 'legacy', protocolVersion: '2025-06-18' })
  expect(recorded('server/discover')).toHaveLength(0)
  expect(recorded('initialize')).toHaveLength(1)
})

test('a server pinned to 2026-07-28 is not initialized with an older version', async () => {
  const settings = { protocol: '2026-07-28' } as const
  const modern = await stdioUpstream({ mode: 'listens', settings })
  await modern.upstream.connect(signal)
  expect(modern.upstream.listing?.protocolVersion).toBe('2026-07-28')
  const older = await stdioUpstream({ settings })
  await expect(older.upstream.connect(signal)).rejects.toThrow(
    'the MCP server server could not be started: mcpServers.server.protocol: expected protocol version "2026-07-28", which the server does not offer; remove "protocol" to negotiate the version',
  )
  expect(older.recorded('initialize')).toHaveLength(0)
  expect(older.recorded('start')).toHaveLength(1)
})

test('a server that answers with another version than the pinned one fails, naming the setting', async () => {
  const { upstream } = await stdioUpstream({ mode: 'wrong-version', settings: { protocol: '2025-06-18' } })
  await expect(upstream.connect(signal)).rejects.toThrow(
    'mcpServers.server.protocol: expected protocol version "2025-06-18", got "1999-01-01"',
  )
})

test('a remote server is pinned in the same way, and its session ends after idleStop', async () => {
  const { origin, seen } = await startFakeServer(serveMcp({ hello: answerText('hi') }))
  const url = `${origin}/mcp`
  const clock = createFakeClock()
  const old = await remoteUpstream({ url, clock, settings: { protocol: '2025-11-25' } })
  await old.upstream.connect(signal)
  expect(seen.some(({ body }) => body.includes('server/discover'))).toBe(false)
  await clock.advance(600_000)
  await until(async () => {
    await clock.advance(1)
    return old.upstream.status.state === 'stopped'
  })
  expect(await old.call('hello')).toBe('hi')
  const pinned = await remoteUpstream({ url, settings: { protocol: '2026-07-28' } })
  await expect(pinned.upstream.connect(signal)).rejects.toThrow(
    'mcpServers.remote.protocol: expected protocol version "2026-07-28", which the server does not offer',
  )
})

test('a pinned server that exits is not started again with another version', async () => {
  const { upstream, recorded } = await stdioUpstream({
    mode: 'exits-at-unknown-methods',
    settings: { protocol: '2026-07-28' },
  })
  await expect(upstream.connect(signal)).rejects.toThrow(
    /exited with code 3.*what is this\?; mcpServers\.server\.protocol is "2026-07-28"/s,
  )
  expect(recorded('start')).toHaveLength(1)
})
