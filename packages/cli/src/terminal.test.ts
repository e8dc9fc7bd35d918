import { expect, test } from 'vitest'
import { cut, widthOf, wrap } from './terminal.ts'

test.each([
  ['plain', 5],
  ['天気', 4],
  ['e\u0301tude', 5],
  ['❤\ufe0f', 2],
  ['1\ufe0f\u20e3', 2],
  ['✓ …', 3],
  ['한국어', 6],
])('the width of %s is %s', (text, width) => {
  expect(widthOf(text)).toBe(width)
})

test('a joined emoji is never narrower than a terminal shows it', () => {
  for (const emoji of ['👨‍👩‍👧', '🇩🇪', '👍🏽']) expect(widthOf(emoji)).toBeGreaterThanOrEqual(2)
})

test('cut counts columns, not characters', () => {
  expect(cut('天気は晴れ', 5)).toBe('天気…')
})

test('wrap breaks between words, and keeps long words', () => {
  expect(wrap('a bb  ccc\ndddddd', 4)).toEqual(['a bb', 'ccc', 'dddddd'])
  expect(wrap('a bb', 4, 2)).toEqual(['a', 'bb'])
})
