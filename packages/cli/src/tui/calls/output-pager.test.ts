import fc from 'fast-check'
import { expect, it } from 'vitest'
import { OutputPager } from './output-pager.ts'

/** The output of a call, as a runtime returns it. */
function setUp(initial: string) {
  let text = initial
  let reads = 0
  const runtime = {
    async readOutput(_uid: number, from = 0) {
      reads++
      const part = text.slice(from, from + 65_536)
      return {
        text: part,
        offset: from,
        next: from + part.length,
        length: text.length,
        ended: false,
        dropped: 0,
        attempts: [0],
      }
    },
  }
  let loads = 0
  const pager = new OutputPager(runtime, 1, () => loads++)
  pager.update(80, text.length, '')
  const lines = async (block: number): Promise<readonly string[]> => {
    for (let before = -1; before !== loads; ) {
      before = loads
      pager.lines(block)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return pager.lines(block)!
  }
  const append = (more: string): void => {
    text += more
    pager.update(80, text.length, '')
  }
  return { pager, lines, append, reads: () => reads }
}

it('reads only what is asked for', async () => {
  const { pager, lines, reads } = setUp(
    Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`).join(''),
  )
  expect(pager.blockCount).toBe(67)
  expect(pager.lines(60)).toBe(null)
  const found = await lines(60)
  expect(found[0]).toMatch(/^line \d+$/)
  expect(reads()).toBe(1)
})

it('the blocks together are all lines', async () => {
  const line = fc.oneof(fc.string({ maxLength: 80 }), fc.constant('x'.repeat(3_000)), fc.constant(''))
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 40 }), async (some) => {
      const printable = some.map((text) => text.replace(/[^ -~]/g, ''))
      const text = printable
        .map((text) => `${text}\n`)
        .join('')
        .repeat(5)
      const { pager, lines } = setUp(text)
      pager.update(10_000, text.length, '')
      const all: string[] = []
      for (let block = 0; block < pager.blockCount; block++) all.push(...(await lines(block)))
      expect(all.map((line) => `${line}\n`).join('')).toBe(text)
    }),
    { numRuns: 50 },
  )
})

it('a line without an end is cut into blocks, and folded to the width', async () => {
  const { pager, lines } = setUp('x'.repeat(40_000))
  const all = [...(await lines(0)), ...(await lines(1)), ...(await lines(2))]
  expect(pager.blockCount).toBe(3)
  expect(all.every((line) => line.length <= 80)).toBe(true)
  expect(all.join('')).toBe('x'.repeat(40_000))
  pager.update(100, 40_000, '')
  expect(pager.lines(0)).toEqual([...Array<string>(163).fill('x'.repeat(100)), 'x'.repeat(84)])
})

it('follows output that grows', async () => {
  const { lines, append } = setUp('one\ntw')
  expect(await lines(0)).toEqual(['one', 'tw'])
  append('o\nthree\n')
  expect(await lines(0)).toEqual(['one', 'two', 'three'])
})

it('contains no control sequences', async () => {
  const { lines } = setUp('\u001b[31mred\u001b[0m\n10%\r20%\r\n\u202ereversed\u0007\n\ttab\n')
  expect(await lines(0)).toEqual(['red', '20%', 'reversed', '        tab'])
})

it('shows that output is gone', async () => {
  let loads = 0
  const pager = new OutputPager({ readOutput: () => Promise.reject(new Error('gone')) }, 1, () => loads++)
  pager.update(80, 10, '')
  pager.lines(0)
  await new Promise((resolve) => setImmediate(resolve))
  expect([pager.lines(0), loads]).toEqual([['The output is no longer available.'], 1])
})
