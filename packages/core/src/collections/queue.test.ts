import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Queue } from './queue.ts'

test('behaves like an array', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat())), (steps) => {
      const queue = new Queue<number>()
      const array: number[] = []
      for (const step of steps) {
        if (step === null) expect(queue.shift()).toBe(array.shift())
        else {
          queue.push(step)
          array.push(step)
        }
        expect([...queue]).toEqual(array)
        expect(queue.size).toBe(array.length)
      }
    }),
  )
})

test('keeps its order when it is compacted', () => {
  const queue = new Queue<number>()
  for (let i = 0; i < 10_000; i++) queue.push(i)
  for (let i = 0; i < 9_000; i++) expect(queue.shift()).toBe(i)
  expect(queue.size).toBe(1_000)
  expect([...queue][0]).toBe(9_000)
})
