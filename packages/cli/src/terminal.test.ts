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

test('cut counts columns, not characters', () => {
  expect(cut('天気は晴れ', 5)).toBe('天気…')
})

test('wrap breaks between words, and keeps long words', () => {
  expect(wrap('a bb  ccc\ndddddd', 4)).toEqual(['a bb', 'ccc', 'dddddd'])
  expect(wrap('a bb', 4, 2)).toEqual(['a', 'bb'])
})

test.each([
  ['a colour', 'a\u001b[1;31mb', 'ab'],
  ['private parameters', 'a\u001b[>4;2mb\u001b[?25lc', 'abc'],
  ['an 8-bit sequence', 'a\u009b31mb', 'ab'],
  ['a title', 'a\u001b]0;ti tle\u0007b', 'ab'],
  ['a link', '\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\', 'text'],
  ['a device control string', 'a\u001bPq#0;2\u001b\\b', 'ab'],
  ['a character set', 'a\u001b(Bb\u001bcc', 'abc'],
  ['a sequence without an end', 'a\u001b[31', 'a'],
  ['other control characters and a direction mark', 'a\u0000\b\u007f\u0085\u202eb', 'ab'],
  ['half a surrogate pair', 'a\ud800b', 'a\ufffdb'],
])('neutralise removes or replaces %s', (_, text, expected) => {
  expect(neutralise(text)).toBe(expected)
})

test('neutralise keeps tabs and line breaks', () => {
  expect(neutralise('a\tb\r\nc\rd\n')).toBe('a\tb\nc\nd\n')
})

test('neutralise takes linear time', () => {
  const startedAt = performance.now()
  for (const unit of ['\u001b]', '\u001b];a', '\u001b[1;', '\u001bP', '\u009d', '\u001b(']) {
    neutralise(unit.repeat(500_000))
  }
  expect(performance.now() - startedAt).toBeLessThan(10_000)
})
