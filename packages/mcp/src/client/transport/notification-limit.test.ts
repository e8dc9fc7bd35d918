import { createFakeClock } from '@curfew/core/testing'
import type { JSONRPCNotification } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { NotificationLimit } from './notification-limit.ts'

const notification = (method: string, params: JSONRPCNotification['params'] = {}): JSONRPCNotification => ({
  jsonrpc: '2.0',
  method: `notifications/${method}`,
  params,
})
const progress = (progressToken: string, current: number): JSONRPCNotification =>
  notification('progress', { progressToken, progress: current })
const changed = notification('tools/list_changed')

function setUp() {
  const clock = createFakeClock()
  const delivered: [JSONRPCNotification, string | null][] = []
  const limit = new NotificationLimit(clock, (...each) => void delivered.push(each))
  const send = (message: JSONRPCNotification, count = 1, origin: string | null = null): boolean => {
    let isTolerated = true
    for (let index = 0; index < count; index++) {
      isTolerated &&= limit.count()
      limit.receive(message, origin)
    }
    return isTolerated
  }
  /** Exhausts the limit of the current second. */
  const exhaust = (): void => {
    send(changed, 5_000)
    delivered.length = 0
  }
  return { clock, delivered, limit, send, exhaust }
}

test('5,000 at once, and then 1,000 per second, are delivered immediately', async () => {
  const { clock, delivered, send } = setUp()
  send(notification('message'), 5_000)
  for (let second = 1; second <= 5; second++) {
    await clock.advance(1_001)
    send(notification('message'), 1_000)
    expect(delivered).toHaveLength(5_000 + second * 1_000)
  }
  expect(clock.pending).toBe(0)
})

test('beyond it, the last progress of each token and one of identical ones are delivered after a second', async () => {
  const { clock, delivered, send, exhaust } = setUp()
  exhaust()
  for (let current = 1; current <= 3; current++)
    for (const token of ['a', 'b']) send(progress(token, current))
  send(changed, 3)
  send(notification('resources/updated', { uri: 'one' }), 2)
  send(notification('resources/updated', { uri: 'two' }), 2)
  expect(delivered).toEqual([])
  await clock.advance(1_000)
  expect(delivered.map(([message]) => message)).toEqual([
    progress('a', 3),
    progress('b', 3),
    changed,
    notification('resources/updated', { uri: 'one' }),
    notification('resources/updated', { uri: 'two' }),
  ])
  expect(clock.pending).toBe(0)
})

test('log messages are counted, for the call that they came with', async () => {
  const { clock, delivered, send, exhaust } = setUp()
  exhaust()
  send(notification('message', { level: 'info', data: 'x' }), 12, 'call a')
  await clock.advance(1_000)
  const data = '12 log messages were left out, because the server sends too many notifications'
  expect(delivered).toEqual([
    [notification('message', { level: 'warning', logger: 'curfew', data }), 'call a'],
  ])
})

test('what was kept is delivered before what the server sends in the next second', async () => {
  const { clock, delivered, send, exhaust } = setUp()
  exhaust()
  await clock.advance(900)
  send(progress('a', 1))
  await clock.advance(200)
  send(progress('a', 2))
  expect(delivered.map(([{ params }]) => params?.progress)).toEqual([1, 2])
  expect(clock.pending).toBe(0)
})

test('a thousand different ones are kept', () => {
  const { delivered, limit, send, exhaust } = setUp()
  exhaust()
  for (let index = 0; index < 3_000; index++) send(progress(`token ${index}`, 1))
  limit.flush()
  expect(delivered).toHaveLength(1_000)
})

test('10,000 per second are tolerated forever', async () => {
  const { clock, limit } = setUp()
  let isTolerated = true
  for (let second = 0; second < 200; second++) {
    for (let index = 0; index < 10_000; index++) isTolerated &&= limit.count()
    await clock.advance(1_000)
  }
  expect(isTolerated).toBe(true)
})

test('after it was cleared, nothing is delivered', async () => {
  const { clock, delivered, limit, send, exhaust } = setUp()
  exhaust()
  send(changed)
  limit.clear()
  expect(clock.pending).toBe(0)
  limit.flush()
  expect(delivered).toEqual([])
})
