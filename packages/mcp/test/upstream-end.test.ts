import { type Clock, systemClock } from '@curfew/core/internal'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { aliveTimeoutMs } from '../src/client/lifecycle/is-alive.ts'
import { type Opened, stdioUpstream } from './helpers/stdio-upstream.ts'

const { signal } = new AbortController()
/** Nobody has to be silent for long here. */
const clock: Clock = {
  ...systemClock,
  setTimer: (delayMs, run) => systemClock.setTimer(delayMs === aliveTimeoutMs ? 50 : delayMs, run),
}

/** A server that was given up, and has not ended yet. */
async function givenUp(): Promise<Opened> {
  const opened = await stdioUpstream({ mode: 'falls-silent-and-stays', clock })
  const { upstream, recorded, running } = opened
  const leave = new AbortController()
  const params = { name: 'act', arguments: {} }
  const calling = upstream.request({ method: 'tools/call', params }, { signal: leave.signal })
  calling.catch(() => {})
  await until(() => recorded('tools/call').length > 0, 20_000)
  leave.abort(new Error('I do not wait for it'))
  await expect(calling).rejects.toThrow('I do not wait for it')
  await until(() => !upstream.connected, 20_000)
  expect(running()).toHaveLength(1)
  return opened
}

test('close waits for dropped connections', async () => {
  const { upstream, running } = await givenUp()
  await upstream.close()
  expect(running()).toEqual([])
})

test('a dropped server is restarted only after it has exited', async () => {
  const { upstream, running, recorded } = await givenUp()
  await upstream.connect(signal)
  expect(recorded('start')).toHaveLength(2)
  expect(running()).toEqual([recorded('start')[1]?.pid])
})
