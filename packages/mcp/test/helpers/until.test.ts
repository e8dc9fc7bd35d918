import { expect, test } from 'vitest'
import { until } from './until.ts'

test('a test that waits for what never holds fails', async () => {
  await expect(until(() => false, 20)).rejects.toThrow('after 20 ms it still does not hold: () => false')
  let looks = 0
  expect(await until(async () => ++looks === 3)).toBe(true)
})
