import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import type { StdioTarget } from '../../config/server-config.ts'
import { IdleStop, unusedStopMs } from './idle-stop.ts'

const minute = 60_000
const target: StdioTarget = { kind: 'stdio', command: 'server', args: [], env: {}, cwd: undefined }

function setUp(settings: object = {}) {
  const clock = createFakeClock()
  const stops: (string | null)[] = []
  const config = { idleStopMs: 10 * minute, eager: false, target, ...settings }
  const idle = new IdleStop({
    config,
    clock,
    stop: (reason) => {
      stops.push(reason)
      idle.onEnd()
    },
  })
  return { clock, stops, idle, config }
}

test('a server that was called is stopped after idleStop', async () => {
  const { clock, stops, idle } = setUp()
  const call = {}
  idle.hold(call)
  idle.onStart()
  idle.onCall()
  idle.release(call)
  await clock.advance(9 * minute)
  idle.hold(call)
  idle.release(call)
  await clock.advance(9 * minute)
  // Its lists are fetched, which is not a use.
  idle.hold(call)
  idle.release(call, false)
  expect(stops).toEqual([])
  await clock.advance(minute)
  expect(stops).toEqual(['it was not called for 10 min'])
  expect(clock.pending).toBe(0)
})

test('a server is not stopped while a client that called it is connected', async () => {
  const { clock, stops, idle } = setUp()
  const [a, b] = [{}, {}]
  idle.onStart()
  idle.onCall()
  idle.hold(a)
  idle.hold(b)
  idle.hold(a)
  idle.release(a)
  await clock.advance(1_000 * minute)
  expect(clock.pending).toBe(0)
  idle.release(b)
  idle.release(b)
  await clock.advance(10 * minute)
  expect(stops).toHaveLength(1)
})

test('a process that was only started for its lists is stopped soon', async () => {
  const { clock, stops, idle } = setUp()
  idle.onStart()
  await clock.advance(unusedStopMs)
  expect(stops).toEqual([null])
  // The same after a restart.
  idle.onCall()
  idle.onStart()
  await clock.advance(unusedStopMs)
  expect(stops).toEqual([null, null])
})

test.for([
  ['an eager server', { eager: true }],
  ['a remote server', { target: { ...target, kind: 'http' } }],
] as const)('%s is not stopped before idleStop', async ([, config]) => {
  const { clock, stops, idle } = setUp(config)
  idle.onStart()
  await clock.advance(9 * minute)
  expect(stops).toEqual([])
  await clock.advance(minute)
  expect(stops).toHaveLength(1)
})

test('idleStop may be shorter than the time for unused processes, or disabled', async () => {
  const short = setUp({ idleStopMs: 1_000 })
  short.idle.onStart()
  await short.clock.advance(1_000)
  expect(short.stops).toHaveLength(1)
  const never = setUp({ idleStopMs: null })
  never.idle.onStart()
  never.idle.onCall()
  const call = {}
  never.idle.hold(call)
  never.idle.release(call)
  expect(never.clock.pending).toBe(0)
})

test('nothing is scheduled for a server that is lost', async () => {
  const { clock, idle } = setUp()
  const call = {}
  idle.hold(call)
  idle.onStart()
  idle.onEnd()
  idle.release(call)
  expect(clock.pending).toBe(0)
})

test('another idleStop applies to a server that is already idle', async () => {
  const { clock, stops, idle, config } = setUp({ idleStopMs: null })
  idle.onStart()
  idle.onCall()
  const client = {}
  idle.hold(client)
  idle.release(client)
  await clock.advance(2 * minute)
  Object.assign(config, { idleStopMs: 3 * minute })
  idle.onConfigured()
  await clock.advance(minute - 1)
  expect(stops).toEqual([])
  await clock.advance(1)
  expect(stops).toEqual(['it was not called for 3 min'])
})
