import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { ServerState } from '../src/client/server-state.ts'
import { Upstream } from '../src/client/upstream.ts'
import { type ServerConfig, serverDefaults } from '../src/config/server-config.ts'
import { left, newTag, until } from './helpers/processes.ts'

const program = fileURLToPath(new URL('./fixtures/hostile/hostile-server.ts', import.meta.url))
const signal = new AbortController().signal

interface Opened {
  readonly upstream: Upstream
  /** Its processes. */
  readonly running: () => readonly number[]
}

async function open(settings: Partial<ServerConfig>, readSecret: () => Promise<string>): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'curfew-upstream-'))
  const tag = newTag()
  const env = { KEY: [{ secret: 'KEY' }] }
  const config: ServerConfig = {
    name: 'server',
    file: join(folder, 'mcp.json'),
    root: folder,
    target: {
      kind: 'stdio',
      command: process.execPath,
      args: [program, 'healthy', '', tag],
      env,
      cwd: folder,
    },
    ...serverDefaults,
    ...settings,
  }
  const state = await ServerState.open(join(folder, 'state'), config)
  const upstream = new Upstream(config, { state, readSecret, log: () => {} })
  onTestFinished(async () => {
    await upstream.close()
    await rm(folder, { recursive: true })
  })
  return { upstream, running: () => left(tag) }
}

test('a server is not started any more when its key comes after the end', async () => {
  let giveKey = (_: string): void => {}
  const key = new Promise<string>((resolve) => {
    giveKey = resolve
  })
  const { upstream, running } = await open({}, () => key)
  const connecting = upstream.connect(signal)
  connecting.catch(() => {})
  await upstream.close()
  giveKey('a key that took its time')
  await expect(connecting).rejects.toThrow('Curfew is ending')
  expect(running()).toEqual([])
})

test('a server whose time to start is over is ended, even if it has said all that it had to say', async () => {
  const { upstream, running } = await open({ startTimeoutMs: 1_500 }, async () => 'a key')
  const first = await upstream.connect(signal)
  await upstream.rest
  await first.transport.close()
  await until(() => !upstream.connected)
  // Somebody else is writing down what they saw of it.
  const lock = `${upstream.state.file}.lock`
  await writeFile(lock, '')
  const again = upstream.connect(signal)
  again.catch(() => {})
  await until(() => running().length > 0)
  const start = performance.now()
  await until(() => performance.now() - start > 2_000)
  await rm(lock, { force: true })
  await expect(again).rejects.toThrow(/did not answer within 1\.5 s \(startTimeout\)/)
  await until(() => running().length === 0)
  expect(running()).toEqual([])
})

test('two first calls start one server, however long each takes to read the key', async () => {
  const { upstream, running } = await open({}, async () => 'a key')
  let giveKey = (_: string): void => {}
  const late = new Promise<string>((resolve) => {
    giveKey = resolve
  })
  const second = upstream.connect(signal, () => late)
  const first = await upstream.connect(signal)
  giveKey('the same key, later')
  expect(await second).toBe(first)
  expect(running()).toHaveLength(1)
  await upstream.close()
  await until(() => running().length === 0, 20_000)
  expect(running()).toEqual([])
})
