import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  limitScroll,
  type ScrolledBlocks,
  type ScrollPosition,
  scrollBy,
  scrollEnd,
  scrollStart,
} from './expanded-call.ts'

const blocksOf = (counts: readonly (number | null)[]): ScrolledBlocks => ({
  last: counts.length - 1,
  linesOf: (block) => counts[block]!,
})

it('moves across blocks, and stops at the ends', () => {
  const blocks = blocksOf([3, 0, 5])
  expect(scrollBy(scrollStart, 4, blocks)).toEqual({ block: 2, line: 1 })
  expect(scrollBy({ block: 2, line: 1 }, -2, blocks)).toEqual({ block: 0, line: 2 })
  expect(scrollBy(scrollStart, -1, blocks)).toEqual(scrollStart)
  expect(scrollBy(scrollStart, 100, blocks)).toEqual({ block: 2, line: 4 })
})

it('stops at a block that is not loaded', () => {
  const blocks = blocksOf([3, null, 5])
  expect(scrollBy(scrollStart, 4, blocks)).toEqual({ block: 1, line: 0 })
  expect(scrollBy({ block: 2, line: 1 }, -4, blocks)).toEqual({ block: 2, line: 0 })
})

it('the last page is full', () => {
  expect(scrollEnd(4, blocksOf([3, 5]))).toEqual({ block: 1, line: 1 })
  expect(scrollEnd(6, blocksOf([3, 5]))).toEqual({ block: 0, line: 2 })
  expect(scrollEnd(60, blocksOf([3, 5]))).toEqual(scrollStart)
  expect(limitScroll({ block: 1, line: 4 }, 4, blocksOf([3, 5]))).toEqual({ block: 1, line: 1 })
  expect(limitScroll({ block: 7, line: 4 }, 4, blocksOf([3, 1]))).toEqual(scrollStart)
})

it('in loaded blocks, it is the same as in one list of lines', () => {
  const counts = fc.array(fc.nat(6), { minLength: 1, maxLength: 7 })
  fc.assert(
    fc.property(
      counts,
      fc.array(fc.integer({ min: -9, max: 9 })),
      fc.integer({ min: 1, max: 8 }),
      (counts, moves, height) => {
        const blocks = blocksOf(counts)
        const total = counts.reduce((sum, count) => sum + count, 0)
        const offset = ({ block, line }: ScrollPosition): number =>
          counts.slice(0, block).reduce((sum, count) => sum + count, 0) + line
        let position = scrollStart
        let expected = 0
        for (const by of moves) {
          position = limitScroll(scrollBy(position, by, blocks), height, blocks)
          expected = Math.max(0, Math.min(expected + by, total - height))
          expect(offset(position)).toBe(expected)
        }
      },
    ),
  )
})
