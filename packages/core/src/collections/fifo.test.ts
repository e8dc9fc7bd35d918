import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Fifo } from './fifo.ts'

test('behaves like an array', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat())), (steps) => {
      const fifo = new Fifo<number>()
      const array: number[] = []
      for (const step of steps) {
        if (step === null) expect(fifo.shift()).toBe(array.shift())
        else {
          fifo.push(step)
          array.push(step)
        }
        expect([...fifo]).toEqual(array)
        expect(fifo.size).toBe(array.length)
      }
    }),
  )
})

test('lets go of what it has given out', () => {
  const fifo = new Fifo<number>()
  for (let i = 0; i < 10_000; i++) fifo.push(i)
  for (let i = 0; i < 9_000; i++) expect(fifo.shift()).toBe(i)
  expect(fifo.size).toBe(1_000)
  expect([...fifo][0]).toBe(9_000)
})
