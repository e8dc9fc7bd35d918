import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFakeClock, type FakeClock } from '@curfew/core/testing'
import { expect, onTestFinished, test } from 'vitest'
import { left, newTag } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { type ServerConfig, serverDefaults } from '../src/config/server-config.ts'
import { legacy, modern } from './helpers/http-gateway.ts'
import { type LocalClient, type LocalGateway, startLocalGateway } from './helpers/local-gateway.ts'

const program = fileURLToPath(new URL('fixtures/hostile/hostile-server.ts', import.meta.url))
const minute = 60_000

interface Started {
  readonly gateway: LocalGateway
  readonly clock: FakeClock
  readonly server: ServerConfig
  readonly running: () => readonly number[]
}

/** A gateway with one server, whose tool `act` returns its pid and how often it was called. */
async function start(settings: Partial<ServerConfig> = {}): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), 'curfew-lifecycle-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  const tag = newTag()
  const clock = createFakeClock()
  const server: ServerConfig = {
    name: 'browser',
    file: join(folder, 'mcp.json'),
    root: folder,
    target: {
      kind: 'stdio',
      command: process.execPath,
      args: [program, 'stateful', join(folder, 'record.jsonl'), tag],
      env: {},
      cwd: folder,
    },
    ...serverDefaults,
    ...settings,
  }
  const gateway = await startLocalGateway({
    servers: [server],
    stateFolder: join(folder, 'state'),
    runtime: { clock, approval: { default: 'allow' } },
    httpTokens: ['token-a', 'token-b'],
  })
  return { gateway, clock, server, running: () => left(tag) }
}

/** Returns the pid of the server and how often that process was called. */
async function act({ call }: LocalClient): Promise<readonly [pid: number, count: number]> {
  const [pid, count] = (await call('mcp__browser__act')).split(' ').map(Number)
  return [pid!, count!]
}

/** A server that is due may be fetching its lists. */
async function untilRunning({ clock, running }: Started, count: number): Promise<void> {
  await until(async () => {
    await clock.advance(300)
    return running().length === count
  })
}

/** In steps, because a server is not stopped while its lists are fetched. */
async function advanceInSteps({ clock }: Started, ms: number): Promise<void> {
  const endsAt = clock.now() + ms
  await until(async () => {
    await clock.advance(ms / 20)
    return clock.now() >= endsAt
  })
}

test('a server runs while a session that called it is open, then stops, and starts again on demand', async () => {
  const started = await start()
  const { gateway, clock, running } = started
  const [first, second] = [await gateway.connect(legacy), await gateway.connect(legacy)]
  const [pid] = await act(first)
  await clock.advance(100 * minute)
  expect(running()).toEqual([pid])
  // Only the client that called it keeps it running.
  await first.endSession()
  await clock.advance(9 * minute)
  expect(running()).toEqual([pid])
  await clock.advance(minute)
  await untilRunning(started, 0)
  const [next, count] = await act(second)
  expect(next).not.toBe(pid)
  expect(count).toBe(1)
})

test('a client that exits without ending its session keeps no server running', async () => {
  const started = await start()
  const { gateway, clock, running } = started
  const client = await gateway.connect(legacy)
  const [pid] = await act(client)
  await clock.advance(30 * minute)
  expect(running()).toEqual([pid])
  // Closes its stream, without DELETE.
  await client.client.close()
  await until(async () => {
    await clock.advance(minute)
    return running().length === 0
  })
})

test('a client that called a server also keeps the process running that replaces it', async () => {
  const started = await start()
  const { gateway, running } = started
  const client = await gateway.connect(legacy)
  const [pid] = await act(client)
  await gateway.gateway.restart('browser')
  await until(() => gateway.gateway.upstreams[0]!.connected && !running().includes(pid))
  const [replaced] = running()
  await advanceInSteps(started, 100 * minute)
  expect(await act(client)).toEqual([replaced, 1])
})

test('another idleStop applies to servers that are already idle', async () => {
  const started = await start({ idleStopMs: null })
  const { gateway, server, running } = started
  const client = await gateway.connect(legacy)
  const [pid] = await act(client)
  await client.endSession()
  await advanceInSteps(started, 5 * minute)
  expect(running()).toEqual([pid])
  await gateway.gateway.setServers([{ ...server, idleStopMs: minute }])
  await untilRunning(started, 0)
})

test('a 2026 request keeps a server running only while it runs', async () => {
  const started = await start()
  const client = await started.gateway.connect(modern)
  const [pid] = await act(client)
  await started.clock.advance(9 * minute)
  expect(await act(client)).toEqual([pid, 2])
  await started.clock.advance(10 * minute)
  await untilRunning(started, 0)
})

test('a server that is only listed is stopped after its lists are known', async () => {
  const started = await start()
  const { client } = await started.gateway.connect(legacy)
  expect((await client.listTools()).tools).toHaveLength(3)
  await started.clock.advance(10_000)
  await untilRunning(started, 0)
  expect((await client.listTools()).tools).toHaveLength(3)
  expect(started.running()).toEqual([])
})

test('with instances per client, each session has its own process, which ends with the session', async () => {
  const started = await start({ instances: 'per-client' })
  const { gateway, running } = started
  const [a, b] = [await gateway.connect(legacy), await gateway.connect(legacy)]
  const [pidA] = await act(a)
  const [pidB, count] = await act(b)
  expect(pidB).not.toBe(pidA)
  expect(count).toBe(1)
  expect(await act(a)).toEqual([pidA, 2])
  // The one that was started for the lists is stopped.
  await started.clock.advance(10_000)
  await untilRunning(started, 2)
  expect([...running()].sort()).toEqual([pidA, pidB].sort())
  await started.clock.advance(100 * minute)
  await a.endSession()
  await untilRunning(started, 1)
  expect(running()).toEqual([pidB])
  expect(await act(b)).toEqual([pidB, 2])
})

test('with instances per client, requests without a session share one instance for each token', async () => {
  const started = await start({ instances: 'per-client' })
  const { gateway, clock } = started
  const [a, again, other] = [
    await gateway.connect(modern),
    await gateway.connect(modern),
    await gateway.connect({ ...modern, token: 'token-b' }),
  ]
  const [pid] = await act(a)
  expect(await act(again)).toEqual([pid, 2])
  const [otherPid] = await act(other)
  expect(otherPid).not.toBe(pid)
  await clock.advance(10 * minute)
  await untilRunning(started, 0)
  expect((await act(a))[1]).toBe(1)
})
