import { expect, test } from 'vitest'
import { WaitingCalls } from './waiting-calls.ts'

test('calls are taken in their order', () => {
  const waiting = new WaitingCalls()
  for (let number = 1; number <= 5; number++) waiting.add([number])
  expect(waiting.take(2)).toEqual([[1], [2]])
  expect(waiting.take(10)).toEqual([[3], [4], [5]])
  expect(waiting.size).toBe(0)
})

test('memory is bounded, and what does not fit is counted', () => {
  const waiting = new WaitingCalls()
  const text = 'x'.repeat(1_000_000)
  for (let number = 0; number < 100; number++) waiting.add([number, text])
  expect(waiting.size).toBe(67)
  expect(waiting.dropped).toBe(33)
  waiting.take(30)
  for (let number = 0; number < 100; number++) waiting.add([number, text])
  expect(waiting.size).toBe(67)
  expect(waiting.dropped).toBe(103)
})

test('the number of calls is bounded', () => {
  const waiting = new WaitingCalls()
  for (let number = 0; number < 100_010; number++) waiting.add([])
  expect(waiting.dropped).toBe(10)
})
