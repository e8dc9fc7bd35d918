import fc from 'fast-check'
import { expect, test } from 'vitest'
import { widthOf } from '../../terminal.ts'
import { foldLine } from './fold-line.ts'

test('an emoji with a selector takes two columns', () => {
  expect(foldLine('❤\ufe0f'.repeat(3), 4)).toEqual(['❤\ufe0f❤\ufe0f', '❤\ufe0f'])
})

test('property: rows fit, and together they are the line', () => {
  const line = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 100 }), fc.stringMatching(/^[ab ]{0,100}$/))
  fc.assert(
    fc.property(line, fc.integer({ min: 4, max: 30 }), (text, width) => {
      const rows = foldLine(text, width, width - 2)
      expect(rows.join('')).toBe(text)
      for (const [index, row] of rows.entries())
        expect(widthOf(row)).toBeLessThanOrEqual(index === 0 ? width : width - 2)
    }),
  )
})
