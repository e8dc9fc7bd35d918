import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { withTimer } from './with-timer.ts'

test('settles with the work or when the time has elapsed, and clears its timer', async () => {
  const clock = createFakeClock()
  const first = withTimer(clock, 1_000, (elapsed) => Promise.race([Promise.resolve('done'), elapsed]))
  expect(await first).toBe('done')
  const pending = withTimer(clock, 1_000, (elapsed) => Promise.race([new Promise(() => {}), elapsed]))
  await clock.advance(1_000)
  expect(await pending).toBeUndefined()
  const rejected = withTimer(clock, 1_000, () => Promise.reject(new Error('no')))
  await expect(rejected).rejects.toThrow('no')
  expect(clock.pending).toBe(0)
})
