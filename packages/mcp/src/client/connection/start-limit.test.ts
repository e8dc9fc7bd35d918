import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { StartLimit } from './start-limit.ts'

test('the time while a person signs in does not count', async () => {
  const clock = createFakeClock()
  const limit = new StartLimit(clock, 30_000)
  await clock.advance(20_000)
  limit.pause()
  await clock.advance(600_000)
  expect(limit.signal.aborted).toBe(false)
  limit.resume()
  await clock.advance(9_999)
  expect(limit.signal.aborted).toBe(false)
  await clock.advance(1)
  expect(String(limit.signal.reason)).toContain('did not answer within 30 s (startTimeout)')
})

test('nothing is left of one that has ended', async () => {
  const clock = createFakeClock()
  new StartLimit(clock, 30_000).end()
  const aborted = new StartLimit(clock, 30_000)
  aborted.abort(new Error('no'))
  expect(clock.pending).toBe(0)
})
