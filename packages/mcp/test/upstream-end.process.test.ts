import { type Clock, systemClock } from '@curfew/core/internal'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { aliveTimeoutMs } from '../src/client/lifecycle/is-alive.ts'
import { type Opened, stdioUpstream } from './helpers/stdio-upstream.ts'

const { signal } = new AbortController()
/** Shortens the timeout of the ping. */
const clock: Clock = {
  ...systemClock,
  setTimer: (delayMs, run) => systemClock.setTimer(delayMs === aliveTimeoutMs ? 50 : delayMs, run),
}

/** Starts a server that stops responding, was dropped, and has not exited yet. */
async function startUnresponsive(): Promise<Opened> {
  const opened = await stdioUpstream({ mode: 'falls-silent-and-stays', clock })
  const { upstream, recorded, running } = opened
  const cancel = new AbortController()
  const params = { name: 'act', arguments: {} }
  const calling = upstream.request({ method: 'tools/call', params }, { signal: cancel.signal })
  calling.catch(() => {})
  await until(() => recorded('tools/call').length > 0, 20_000)
  cancel.abort(new Error('cancelled'))
  await expect(calling).rejects.toThrow('cancelled')
  await until(() => !upstream.connected, 20_000)
  expect(running()).toHaveLength(1)
  return opened
}

test('close waits for dropped connections', async () => {
  const { upstream, running } = await startUnresponsive()
  await upstream.close()
  expect(running()).toEqual([])
})

test('a dropped server is restarted only after it has exited', async () => {
  const { upstream, running, recorded } = await startUnresponsive()
  await upstream.connect(signal)
  expect(recorded('start')).toHaveLength(2)
  expect(running()).toEqual([recorded('start')[1]?.pid])
})
