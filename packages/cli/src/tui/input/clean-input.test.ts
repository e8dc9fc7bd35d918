import { expect, test } from 'vitest'
import { cleanInput } from './clean-input.ts'

test.each([
  ['line ends', 'a\r\nb\rc\u2028d', 'a\nb\nc\nd'],
  ['tabs', 'a\tb', 'a\tb'],
  ['colours', '\x1b[31mred\x1b[0m', 'red'],
  ['control characters', 'a\x00\x07\x08\x7f\x85b', 'ab'],
  ['bidi overrides', 'a\u202eb\u2066c', 'abc'],
  ['lone surrogates', 'a\ud800b', 'a\ufffdb'],
  ['noncharacters', 'a\ufdd0b\uffff', 'a\ufffdb\ufffd'],
  ['invisible tags', 'a\u{e0041}\u{e0042}b', 'ab'],
  [
    'a flag of tags',
    '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
    '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
  ],
  ['joined emoji and marks', '👨‍👩‍👧 e\u0301 ✔\ufe0f', '👨‍👩‍👧 e\u0301 ✔\ufe0f'],
])('%s', (_, text, expected) => {
  expect(cleanInput(text)).toBe(expected)
  expect(cleanInput(expected)).toBe(expected)
})

test.each([
  '\x1b[',
  '\x1b]',
  '\x1b];',
  '\x1b[;',
  '\u009b',
  'é',
  '\r',
  '🏴\u{e0067}',
  '\u{e0001}',
  '\x1b]a;b',
])('a megabyte of %j takes little time', (part) => {
  const start = performance.now()
  cleanInput(part.repeat(1_000_000 / part.length))
  expect(performance.now() - start).toBeLessThan(5_000)
})
