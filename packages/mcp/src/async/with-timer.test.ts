import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { withTimer } from './with-timer.ts'

test('waits until it is there, or the time is over, and leaves no timer', async () => {
  const clock = createFakeClock()
  const soon = withTimer(clock, 1_000, (over) => Promise.race([Promise.resolve('there'), over]))
  expect(await soon).toBe('there')
  const never = withTimer(clock, 1_000, (over) => Promise.race([new Promise(() => {}), over]))
  await clock.advance(1_000)
  expect(await never).toBeUndefined()
  const broken = withTimer(clock, 1_000, () => Promise.reject(new Error('no')))
  await expect(broken).rejects.toThrow('no')
  expect(clock.pending).toBe(0)
})
