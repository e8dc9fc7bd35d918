import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import type { ClientRequest } from './client-request.ts'
import { SuspendedRequests } from './suspended-requests.ts'

test('a request that is not continued in time is abandoned', async () => {
  const clock = createFakeClock()
  const suspended = new SuspendedRequests(clock, 600_000)
  const reasons: unknown[] = []
  const request = { abandon: (reason: unknown) => reasons.push(reason) } as unknown as ClientRequest
  for (const state of ['a', 'b']) suspended.add(request, state)
  suspended.remove('b')
  await clock.advance(599_999)
  expect(suspended.get('a')).toBe(request)
  await clock.advance(1)
  expect(suspended.get('a')).toBeUndefined()
  expect(reasons).toEqual([expect.any(Error)])
})
