import { type Clock, systemClock } from '@curfew/core/internal'
import type { JSONRPCNotification } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { type Opened, stdioUpstream } from './helpers/stdio-upstream.ts'

const { signal } = new AbortController()
const waitMs = 20_000

function act({ upstream }: Opened, pad: string): Promise<unknown> {
  const params = { name: 'act', arguments: { pad } }
  return upstream.request({ method: 'tools/call', params }, { signal })
}

/** Records the URIs of changed resources. */
function changes({ upstream }: Opened): string[] {
  const updated: string[] = []
  upstream.listen({
    onListing: () => {},
    onNotification: ({ params }: JSONRPCNotification) => void updated.push(String(params?.uri)),
  })
  return updated
}

test('a subscription that is rejected after a restart does not affect the others', async () => {
  const opened = await stdioUpstream({ mode: 'rejects-some-subscriptions' })
  const { upstream, recorded, logged } = opened
  await upstream.setLogLevel('debug')
  for (const uri of ['hostile://bad', 'hostile://good']) await upstream.subscribe(uri, signal)
  await (await upstream.connect(signal)).transport.close()
  await until(() => !upstream.connected, waitMs)
  const updated = changes(opened)
  await upstream.connect(signal)
  await until(() => recorded('resources/subscribe').length === 4, waitMs)
  await until(() => logged.length >= 3, waitMs)
  await act(opened, 'change')
  await until(() => updated.includes('hostile://good'), waitMs)
  expect(updated).toContain('hostile://good')
  expect(logged.join('\n')).toMatch(/its log level could not be set: .*no more levels/)
  expect(logged.join('\n')).toMatch(/changes of hostile:\/\/bad are no longer reported: .*no more of this/)
  // A rejected subscription can be requested again.
  await expect(upstream.subscribe('hostile://bad', signal)).rejects.toThrow('no more of this')
})

test('a log level that was unset is not sent after a restart', async () => {
  const { upstream, recorded } = await stdioUpstream()
  await upstream.connect(signal)
  await upstream.setLogLevel('debug')
  expect(recorded('logging/setLevel')).toHaveLength(1)
  await upstream.setLogLevel(undefined)
  await (await upstream.connect(signal)).transport.close()
  await until(() => !upstream.connected, waitMs)
  await upstream.connect(signal)
  await upstream.request({ method: 'ping', params: {} }, { signal })
  expect(recorded('start')).toHaveLength(2)
  expect(recorded('logging/setLevel')).toHaveLength(1)
})

test('concurrent subscriptions to one resource share one stream', async () => {
  const opened = await stdioUpstream({ mode: 'listens' })
  const { upstream, recorded } = opened
  const updated = changes(opened)
  await upstream.connect(signal)
  const cancel = new AbortController()
  const page = 'hostile://page'
  await Promise.all([upstream.subscribe(page, cancel.signal), upstream.subscribe(page, signal)])
  // The first caller has gone; the second is still subscribed.
  cancel.abort()
  expect(recorded('subscriptions/listen')).toHaveLength(1)
  await act(opened, 'change')
  await until(() => updated.length > 0, waitMs)
  expect(updated).toEqual(['hostile://page'])
  await upstream.unsubscribe('hostile://page')
  await until(() => recorded('notifications/cancelled').length > 0, waitMs)
  expect(recorded('notifications/cancelled')).toHaveLength(1)
})

test('a subscription that the server ends is logged and can be renewed', async () => {
  const opened = await stdioUpstream({ mode: 'listens' })
  const { upstream, recorded, logged } = opened
  const updated = changes(opened)
  await upstream.subscribe('hostile://page', signal)
  await act(opened, 'end')
  await until(() => logged.length > 0, waitMs)
  expect(logged.join('\n')).toContain('changes of hostile://page are no longer reported')
  await upstream.subscribe('hostile://page', signal)
  expect(recorded('subscriptions/listen')).toHaveLength(2)
  await act(opened, 'change')
  await until(() => updated.length > 0, waitMs)
  expect(updated).toEqual(['hostile://page'])
})

test('a subscription that breaks after a while is renewed automatically', async () => {
  let now = 0
  const clock: Clock = { ...systemClock, now: () => now }
  const opened = await stdioUpstream({ mode: 'listens', clock })
  const { upstream, recorded, logged } = opened
  await upstream.subscribe('hostile://page', signal)
  now = 60_000
  await act(opened, 'break')
  await until(() => recorded('subscriptions/listen').length === 2, waitMs)
  expect(recorded('subscriptions/listen')).toHaveLength(2)
  // A stream that breaks again soon is not renewed.
  await until(async () => {
    await act(opened, 'break')
    return logged.length > 0
  }, waitMs)
  expect(logged.join('\n')).toContain('changes of hostile://page are no longer reported')
  expect(recorded('subscriptions/listen')).toHaveLength(2)
})
