import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../../../test/support/scaled.ts'
import { decodeText, encodeText, type TextEncoding } from './text-encoding.ts'

const encodings: readonly TextEncoding[] = ['utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be', 'latin1']

test('whatever is decoded is encoded to the same bytes', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    // More of what could be text.
    fc.array(fc.constantFrom(0x61, 0x0a, 0xc3, 0xa9, 0xff, 0xfe, 0xef, 0xbb, 0xbf, 0xd8, 0x20), {
      maxLength: 20,
    }),
  )
  fc.assert(
    fc.property(bytes, (one) => {
      const content = Buffer.from(one as number[])
      const decoded = decodeText(content)
      if (decoded !== null) expect(encodeText(decoded.text, decoded.encoding)).toEqual(content)
    }),
    { numRuns: scaled(2_000) },
  )
})

test.each(encodings)('%s: text is the same after encoding and decoding', (encoding) => {
  const unit =
    encoding === 'latin1'
      ? fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code))
      : 'grapheme'
  fc.assert(
    fc.property(fc.string({ unit, minLength: 1 }), (text) => {
      const bytes = encodeText(text, encoding)!
      const decoded = decodeText(bytes)
      // The first characters may look like a byte order mark, or be UTF-8 by chance.
      fc.pre(decoded?.encoding === encoding)
      expect(decoded!.text).toBe(text)
    }),
    { numRuns: scaled(500) },
  )
})

test('Latin-1 does not have every character', () => {
  expect(encodeText('é', 'latin1')).toEqual(Buffer.from([0xe9]))
  expect(encodeText('€', 'latin1')).toBeNull()
  expect(encodeText('😀', 'latin1')).toBeNull()
})
