import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import type { ClientRequest } from './client-request.ts'
import { SuspendedRequests } from './suspended-requests.ts'

test('a call that nobody comes back to is given up when its time is over', async () => {
  const clock = createFakeClock()
  const parked = new SuspendedRequests(clock, 600_000)
  const reasons: unknown[] = []
  const exchange = { abandon: (reason: unknown) => reasons.push(reason) } as unknown as ClientRequest
  for (const state of ['a', 'b']) parked.add(exchange, state)
  parked.remove('b')
  await clock.advance(599_999)
  expect(parked.get('a')).toBe(exchange)
  await clock.advance(1)
  expect(parked.get('a')).toBeUndefined()
  expect(reasons).toEqual([new Error('nobody came back with an answer')])
})
