import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { StartLimit } from './start-limit.ts'

test('the limit is paused while a person signs in', async () => {
  const clock = createFakeClock()
  const limit = new StartLimit(clock, 30_000, 'startTimeout')
  await clock.advance(20_000)
  limit.pause()
  await clock.advance(600_000)
  expect(limit.signal.aborted).toBe(false)
  limit.resume()
  await clock.advance(9_999)
  expect(limit.signal.aborted).toBe(false)
  await clock.advance(1)
  expect(String(limit.signal.reason)).toContain('within 30 s (startTimeout)')
})

test('no timer is left after end or abort', async () => {
  const clock = createFakeClock()
  new StartLimit(clock, 30_000, 'startTimeout').end()
  const aborted = new StartLimit(clock, 30_000, 'startTimeout')
  aborted.abort(new Error('no'))
  expect(clock.pending).toBe(0)
})
