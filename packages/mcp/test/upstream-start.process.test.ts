import { rm, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { stdioUpstream } from './helpers/stdio-upstream.ts'

const signal = new AbortController().signal
/** Enough for a start on a busy machine. */
const startTimeoutMs = 4_000

test('a server is not started if its key arrives after close', async () => {
  let giveKey = (_: string): void => {}
  const key = new Promise<string>((resolve) => {
    giveKey = resolve
  })
  const { upstream, running } = await stdioUpstream({ readSecret: () => key })
  const connecting = upstream.connect(signal)
  connecting.catch(() => {})
  await upstream.close()
  giveKey('a late key')
  await expect(connecting).rejects.toThrow('Curfew is exiting')
  expect(running()).toEqual([])
})

test('a server is stopped at the start timeout even if it has responded to initialize', async () => {
  const { upstream, running } = await stdioUpstream({
    mode: 'another-description-at-each-start',
    settings: { startTimeoutMs },
  })
  const first = await upstream.connect(signal)
  await upstream.otherLists
  await first.transport.close()
  await until(() => !upstream.connected)
  // Another process is writing the state.
  const lock = `${upstream.state.file}.lock`
  await writeFile(lock, '')
  const again = upstream.connect(signal)
  again.catch(() => {})
  await until(() => running().length > 0)
  const start = performance.now()
  await until(() => performance.now() - start > startTimeoutMs + 500)
  await rm(lock, { force: true })
  await expect(again).rejects.toThrow(/did not respond within 4 s \(startTimeout\)/)
  await until(() => running().length === 0)
  expect(running()).toEqual([])
})

test('concurrent first calls start one server, however long each takes to read the key', async () => {
  const { upstream, running } = await stdioUpstream()
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
