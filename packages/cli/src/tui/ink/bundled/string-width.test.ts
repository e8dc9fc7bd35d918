import { createRequire } from 'node:module'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { graphemeSegmenter } from '../grapheme-segmenter.ts'
import { simpleColumns } from '../simple-characters.ts'
import { simpleWidth } from './string-width.ts'

// Ink's own dependency.
const { default: original } = createRequire(import.meta.resolve('ink'))('string-width') as {
  default: (text: string, options?: object) => number
}
const segmenter = new Intl.Segmenter()
const simple = Array.from({ length: 0x1_0000 }, (_, code) => code).filter((code) => simpleColumns(code) > 0)

test('each simple character has the width that string-width finds', () => {
  const different = simple.filter((code) => original(String.fromCharCode(code)) !== simpleColumns(code))
  expect(different).toEqual([])
})

test('simple characters never join into a grapheme', () => {
  const all = String.fromCharCode(...simple)
  const backwards = String.fromCharCode(...simple.toReversed())
  for (const text of [all, backwards])
    expect([...segmenter.segment(text)].map(({ segment }) => segment)).toEqual(text.split(''))
})

const simpleText = fc.string({
  unit: fc.constantFrom(...simple).map((code) => String.fromCharCode(code)),
  maxLength: 8,
})
const pieces = fc.oneof(
  simpleText,
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the start of a control sequence
  fc.stringMatching(/^\x1b\[[\d;:?]{0,12}[mAK]?$/),
  fc.constantFrom(
    '\x1b',
    '\x1b]8;;https://a.test\x07',
    '\x9b31m',
    '\r\n',
    '\n',
    '\u200d',
    '\ufe0f',
    '👩‍👩‍👧',
    '한',
    'ﾞ',
  ),
)
const text = fc.array(pieces, { maxLength: 6 }).map((parts) => parts.join(''))

test('the width of any simple string is that of string-width', () => {
  const options = fc.constantFrom({}, { countAnsiEscapeCodes: true }, { ambiguousIsNarrow: false })
  fc.assert(
    fc.property(text, options, (one, option) => {
      const width = simpleWidth(one, option)
      if (width !== undefined) expect(width).toBe(original(one, option))
    }),
    { numRuns: 3_000 },
  )
})

test('text with styles, frames and Chinese characters is simple, emoji are not', () => {
  expect(simpleWidth('\x1b[1;32m● │ 漢字 é …\x1b[0m')).toBe(12)
  expect(simpleWidth('✅')).toBeUndefined()
  expect(simpleWidth('e\u0301')).toBeUndefined()
})

test('the graphemes of any string are those of Intl.Segmenter', () => {
  const plain = ({ segment, index }: { segment: string; index: number }) => ({ segment, index })
  fc.assert(
    fc.property(text, (one) => {
      const graphemes = graphemeSegmenter.segment(one)
      const expected = segmenter.segment(one)
      expect([...graphemes].map(plain)).toEqual([...expected].map(plain))
      for (let index = -1; index <= one.length; index++) {
        const { segment } = graphemes.containing(index) ?? {}
        expect(segment).toBe(expected.containing(index)?.segment)
      }
    }),
    { numRuns: 3_000 },
  )
})

test('a grapheme is found by an index in it, as with Intl.Segmenter', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: -1, max: 20 }), (one, index) => {
      const found = graphemeSegmenter.segment(one).containing(index)
      const expected = segmenter.segment(one).containing(index)
      expect([found?.segment, found?.index]).toEqual([expected?.segment, expected?.index])
    }),
    { numRuns: 3_000 },
  )
})
