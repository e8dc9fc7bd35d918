import { createFakeClock, type FakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { unusedStopMs } from '../src/client/lifecycle/idle-stop.ts'
import { type Opened, stdioUpstream } from './helpers/stdio-upstream.ts'

const { signal } = new AbortController()
const minute = 60_000

function callFine({ upstream }: Opened): Promise<unknown> {
  return upstream.request({ method: 'tools/call', params: { name: 'fine', arguments: {} } }, { signal })
}

/** It may be fetching its lists when it is due; then it is stopped afterwards. */
async function ended(clock: FakeClock, upstream: Opened['upstream']): Promise<void> {
  await until(async () => {
    await clock.advance(1)
    return upstream.status.state === 'stopped'
  })
  // A process that ignores the end of its input is terminated after 300 ms.
  await clock.advance(300)
}

test('an idle server is stopped with everything that it started, and started again by the next call', async () => {
  const clock = createFakeClock()
  const opened = await stdioUpstream({ mode: 'daemon-at-start', clock, severalClients: true })
  const { upstream, running, recorded, logged } = opened
  await callFine(opened)
  await until(() => running().length > 1)
  await clock.advance(9 * minute)
  expect(upstream.status.state).toBe('running')
  await clock.advance(minute)
  await ended(clock, upstream)
  expect(upstream.status).toMatchObject({ state: 'stopped', pid: null, lastError: null })
  expect(logged).toEqual(['the MCP server server: it is stopped: it was not called for 10 min'])
  // An idle stop is not a failure: it neither delays the next start nor counts as a problem.
  expect(upstream.problem).toBeNull()
  await until(() => running().length === 0)
  await callFine(opened)
  expect(recorded('start')).toHaveLength(2)
  expect(upstream.status).toMatchObject({ state: 'running', calls: 2 })
})

test('a server that was only listed is stopped soon, after all its lists were fetched', async () => {
  const clock = createFakeClock()
  const { upstream, running, recorded } = await stdioUpstream({ clock })
  await upstream.connect(signal)
  await upstream.refresh(signal)
  await clock.advance(unusedStopMs)
  await ended(clock, upstream)
  await until(() => running().length === 0)
  expect(upstream.listing?.tools).toHaveLength(3)
  expect(recorded('start')).toHaveLength(1)
})

test('the only client of a program holds a server that it called', async () => {
  const clock = createFakeClock()
  const opened = await stdioUpstream({ clock })
  await callFine(opened)
  await clock.advance(100 * minute)
  expect(opened.upstream.status.state).toBe('running')
})

test('a server with subscriptions is not stopped until the last one ends', async () => {
  const clock = createFakeClock()
  const { upstream, running } = await stdioUpstream({ mode: 'listens', clock, severalClients: true })
  await upstream.subscribe('test://a', signal)
  await upstream.subscribe('test://b', signal)
  await upstream.unsubscribe('test://a')
  await clock.advance(100 * minute)
  expect(upstream.status.state).toBe('running')
  await upstream.unsubscribe('test://b')
  await clock.advance(10 * minute)
  await ended(clock, upstream)
  await until(() => running().length === 0)
})

test('a call that runs longer than idleStop is not interrupted', async () => {
  const clock = createFakeClock()
  const opened = await stdioUpstream({ mode: 'never-answers', clock, severalClients: true })
  const stop = new AbortController()
  const call = opened.upstream.request(
    { method: 'tools/call', params: { name: 'act', arguments: {} } },
    { signal: stop.signal },
  )
  await until(() => opened.recorded('tools/call').length === 1)
  await clock.advance(100 * minute)
  expect(opened.upstream.status.state).toBe('running')
  stop.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
})
