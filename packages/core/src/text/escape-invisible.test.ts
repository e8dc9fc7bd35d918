import { expect, test } from 'vitest'
import { escapeInvisible } from './escape-invisible.ts'

test.each([
  ['a right-to-left override', 'rm \u202etxt.exe', 'rm \\u202etxt.exe'],
  ['an isolate', '\u2066x\u2069', '\\u2066x\\u2069'],
  ['a zero-width space', 'a\u200bb', 'a\\u200bb'],
  ['a soft hyphen', 'a\u00adb', 'a\\u00adb'],
  ['a Hangul filler', 'a\u3164b', 'a\\u3164b'],
  ['a tag', 'a\u{e0041}b', 'a\\u{e0041}b'],
  ['a no-break space', 'a\u00a0b', 'a\\u00a0b'],
  ['a line separator', 'a\u2028b', 'a\\u2028b'],
  ['an escape sequence', '\u001b[2Ka\u009b', '\\u001b[2Ka\\u009b'],
  ['a carriage return and a tab', 'a\rb\tc', 'a\\u000db\\u0009c'],
  ['a Braille blank', 'a\u2800b', 'a\\u2800b'],
  ['an object replacement', 'a\ufffcb', 'a\\ufffcb'],
  ['a Khitan filler', 'a\u{16fe4}b', 'a\\u{16fe4}b'],
  ['a blank hieroglyph and a null notehead', '\u{13441}\u{1d159}', '\\u{13441}\\u{1d159}'],
  ['joiners', '\u2d7f\u{1107f}', '\\u2d7f\\u{1107f}'],
  ['private and unassigned characters', '\ue000\u{10ffff}\u0378', '\\ue000\\u{10ffff}\\u0378'],
  ['half a surrogate pair', 'a\ud800b', 'a\\ud800b'],
])('escapes %s', (_, text, shown) => {
  expect(escapeInvisible(text)).toBe(shown)
})

test('keeps visible characters', () => {
  const text = 'echo "größe 漢字 עברית 🎉"\nls -l'
  expect(escapeInvisible(text)).toBe(text)
})
