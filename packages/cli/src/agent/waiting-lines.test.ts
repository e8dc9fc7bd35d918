import type { CallRow } from '@curfew/core'
import { createFakeClock, type FakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import type { OpenRequest } from './model-watch.ts'
import { type Waiting, WaitingLines } from './waiting-lines.ts'

function setUp() {
  const clock = createFakeClock()
  const reported: Waiting[] = []
  const calls: CallRow[] = []
  const open: OpenRequest[] = []
  let isSuspended = false
  const lines = new WaitingLines({
    onWaiting: (waiting) => reported.push(waiting),
    isSuspended: () => isSuspended,
    clock,
  })
  lines.watch({
    runtime: { getSnapshot: () => ({ calls }) as never },
    modelWatch: { open },
    argsOf: (uid) => `{"n":${uid}}`,
    modelTimeouts: { firstToken: 60_000, idle: 45_000 },
  })
  const after = async (ms: number) => {
    await clock.advance(ms)
    return reported.splice(0).map(({ message }) => message)
  }
  const suspend = (suspended: boolean) => {
    isSuspended = suspended
  }
  return { clock, lines, calls, open, after, suspend, reported }
}

const row = (clock: FakeClock, changes: Partial<CallRow> = {}): CallRow =>
  ({
    uid: 7,
    name: 'script_slow',
    status: 'executing',
    createdAt: clock.wallTime(),
    updatedAt: clock.wallTime(),
    endedAt: null,
    paused: false,
    elapsedMs: 0,
    timeoutMs: 300_000,
    timeoutSource: 'adapter',
    ...changes,
  }) as CallRow

test('a call is reported after 10 and 30 seconds, then every 30 seconds, with its arguments and limit', async () => {
  const { clock, calls, after, lines } = setUp()
  calls.push(row(clock))
  expect(await after(9_900)).toEqual([])
  expect(await after(1_000)).toEqual([
    `waiting for script_slow {"n":7}: 10 s of 5 min (its adapter's default)`,
  ])
  expect(await after(18_000)).toEqual([])
  expect(await after(2_000)).toHaveLength(1)
  expect(await after(28_000)).toEqual([])
  expect(await after(2_000)).toEqual([
    `waiting for script_slow {"n":7}: 1 min of 5 min (its adapter's default)`,
  ])
  expect(await after(90_000)).toHaveLength(3)
  lines.close()
})

test('a call that has not started is reported, one that waits for a person or has ended is not', async () => {
  const { clock, calls, after, lines } = setUp()
  calls.push(
    row(clock, { uid: 1, status: 'scheduled', timeoutMs: null, timeoutSource: null }),
    row(clock, { uid: 2, status: 'awaiting_approval' }),
    row(clock, { uid: 3, paused: true }),
    row(clock, { uid: 4, status: 'success', endedAt: 1 }),
  )
  expect(await after(11_000)).toEqual(['waiting for script_slow {"n":1}: has not started after 10 s'])
  lines.close()
})

test('a model is reported while it has not responded, and again for each new silence', async () => {
  const { clock, open, after, lines } = setUp()
  open.push({ model: 'google:gemini', hasBegun: false, since: clock.now() })
  expect(await after(11_000)).toEqual(['waiting for google:gemini: no response for 10 s (limit 1 min)'])
  open[0] = { model: 'google:gemini', hasBegun: true, since: clock.now() }
  expect(await after(9_000)).toEqual([])
  expect(await after(2_000)).toEqual(['waiting for google:gemini: nothing new for 10 s (limit 45 s)'])
  open.pop()
  expect(await after(100_000)).toEqual([])
  lines.close()
})

test('anything else can be tracked', async () => {
  const { after, lines } = setUp()
  const done = lines.track('the tide')
  expect(await after(31_000)).toEqual(['waiting for the tide: 10 s', 'waiting for the tide: 30 s'])
  done()
  expect(await after(60_000)).toEqual([])
  lines.close()
})

test('nothing is reported while a question is on the screen, and no timer is left after closing', async () => {
  const { clock, after, lines, suspend, reported } = setUp()
  lines.track('the tide')
  suspend(true)
  expect(await after(60_000)).toEqual([])
  suspend(false)
  expect(await after(1_000)).toHaveLength(1)
  lines.close()
  expect(clock.pending).toBe(0)
  expect(reported).toEqual([])
})
