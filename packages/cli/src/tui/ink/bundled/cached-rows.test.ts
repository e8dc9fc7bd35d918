import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type OutputClass, withCachedRows } from './cached-rows.ts'

const file = new URL('output.js', import.meta.resolve('ink'))
const { default: Original } = (await import(file.href)) as { default: OutputClass }
const Cached = withCachedRows(Original)

const width = 12
const height = 4

const piece = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
  fc.constantFrom(
    '\n',
    '漢字',
    '👩‍👩‍👧',
    '\x1b[1m',
    '\x1b[22m',
    '\x1b[31m',
    '\x1b[38;5;9m',
    '\x1b[39m',
    '\x1b[0m',
    '─',
    'é',
    '\u200b',
  ),
)
const transformer = fc.constantFrom(
  (line: string) => line,
  (line: string) => `\x1b[2m${line}\x1b[22m`,
  (line: string, index: number) => `${index}${line}`,
  (line: string) => line.slice(1),
  (line: string) => `${line}\n${line}`,
)
const write = fc.record({
  x: fc.integer({ min: -3, max: width + 1 }),
  y: fc.integer({ min: -2, max: height }),
  text: fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join('')),
  transformers: fc.array(transformer, { maxLength: 2 }),
})

test('frames are the same as those of Ink', () => {
  fc.assert(
    fc.property(fc.array(write, { maxLength: 6 }), (writes) => {
      const frame = (Output: OutputClass): unknown => {
        const output = new Output({ width, height })
        for (const { x, y, text, transformers } of writes) output.write(x, y, text, { transformers })
        return output.get()
      }
      expect(frame(Cached)).toEqual(frame(Original))
    }),
    { numRuns: 3_000 },
  )
})

test('a row that is the same as in the last frame is not put together again, and one without styles never', () => {
  let created = 0
  const Counting = withCachedRows(
    class extends Original {
      constructor(options: { width: number; height: number }) {
        super(options)
        created++
      }
    },
  )
  const show = (texts: readonly string[]): number => {
    created = 0
    const output = new Counting({ width, height: texts.length })
    for (const [y, text] of texts.entries()) output.write(0, y, text, { transformers: [] })
    expect(output.get()).toEqual({ output: texts.join('\n'), height: texts.length })
    return created - 1
  }
  const rows = Array.from({ length: 100 }, (_, index) => `\x1b[1mrow ${index}\x1b[22m`)
  expect(show(rows)).toBe(200)
  expect(show(rows)).toBe(0)
  expect(show(['a', 'b'])).toBe(0)
  expect(show(rows.with(50, '\x1b[1mchanged\x1b[22m'))).toBe(2)
})
