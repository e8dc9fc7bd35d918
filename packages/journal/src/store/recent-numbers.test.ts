import { expect, test } from 'vitest'
import { RecentNumbers } from './recent-numbers.ts'

test('the most recent numbers are known', () => {
  const numbers = new RecentNumbers()
  expect(numbers.get(0)).toBeUndefined()
  for (let uid = 0; uid < 10_000; uid++) numbers.set(uid, uid + 7)
  expect(numbers.get(9_999)).toBe(10_006)
  expect(numbers.get(9_999 - 8_191)).toBe(9_999 - 8_184)
  expect(numbers.get(9_999 - 8_192)).toBeUndefined()
  expect(numbers.get(10_000)).toBeUndefined()
})
