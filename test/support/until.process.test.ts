import { expect, test } from 'vitest'
import { until } from './until.ts'

test('throws if the condition never holds', async () => {
  await expect(until(() => false, 20)).rejects.toThrow('not true after 20 ms: () => false')
})

test('resolves as soon as the condition holds', async () => {
  let checks = 0
  expect(await until(async () => ++checks === 3)).toBe(true)
  expect(checks).toBe(3)
})
