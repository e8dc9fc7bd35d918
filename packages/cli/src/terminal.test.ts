import { expect, test } from 'vitest'
import { cut, neutralise, widthOf, wrap } from './terminal.ts'

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

test.each([
  ['\x1b[38;2;1;2;3mred\x1b[0m', 'red'],
  ['\x1b]8;;https://a.example\x1b\\link\x1b]8;;\x07', 'link'],
  ['\x1bPq#0\x1b\\a\x1b(Bb\x1b7c', 'abc'],
  ['\u009b31mred\u009d0;title\u009cx', 'redx'],
  ['\x1b]0;unfinished', '0;unfinished'],
  ['unfinished\x1b[3', 'unfinished'],
  ['a\u202eb\x00\x1bc\td\r\ne', 'ab\td\ne'],
])('neutralise %j', (text, expected) => {
  expect(neutralise(text)).toBe(expected)
})

test.each(['\x1b]', '\x1b];', '\x1b]a;b', '\x1b[', '\x1bP', '\u009d', '\u009b;'])(
  'neutralise takes little time for a megabyte of %j',
  (part) => {
    const start = performance.now()
    neutralise(part.repeat(1_000_000 / part.length))
    expect(performance.now() - start).toBeLessThan(5_000)
  },
)
