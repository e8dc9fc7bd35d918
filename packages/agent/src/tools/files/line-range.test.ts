import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../../../test/support/scaled.ts'
import { rangeOf, rangeOfChunks } from './line-range.ts'

test('a file in chunks has the same lines as its text', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '\r', '\n', '\r\n', 'long line'), maxLength: 20 })
  const limits = fc.record({
    firstLine: fc.integer({ min: 1, max: 6 }),
    lineCount: fc.integer({ min: 1, max: 6 }),
    maxCharacters: fc.constantFrom(1, 30, 1_000),
    maxLineLength: fc.constantFrom(3, 1_000),
  })
  await fc.assert(
    fc.asyncProperty(text, limits, fc.integer({ min: 1, max: 7 }), async (content, limit, size) => {
      const whole = rangeOf(content, limit)
      const chunked = await rangeOfChunks(chunksOf(Buffer.from(content), size), 'utf8', limit)
      // In chunks, the length of a long line is known in bytes only.
      const shown = (lines: readonly string[]) => lines.map((line) => line.replace(/\[\d+ more/, '[? more'))
      expect(shown(chunked.lines)).toEqual(shown(whole.lines))
      if (chunked.total !== null) expect(chunked.total).toBe(whole.total)
      else expect(whole.first + whole.lines.length - 1).toBeLessThanOrEqual(whole.total!)
    }),
    { numRuns: scaled(1_000) },
  )
})

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
