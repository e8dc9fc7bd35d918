import { expect, test } from 'vitest'
import { TextFilter } from './text-output.ts'

const filtered = (...pieces: string[]): string[] => {
  const filter = new TextFilter()
  return [...pieces.map((piece) => filter.push(piece)), filter.end()]
}

test.each<[string, string[], string[]]>([
  ['text is shown at once', ['a', 'b'], ['a', 'b', '']],
  ['a control sequence is removed, also in pieces', ['a\u001b', '[3', '1mb'], ['a', '', 'b', '']],
  ['a title in pieces is removed', ['\u001b]0;ti', 'tle\u0007x'], ['', 'x', '']],
  ['a line break in pieces is one line break', ['a\r', '\nb'], ['a', '\nb', '']],
  ['half a character waits for the other half', ['\ud83d', '\ude00'], ['', '😀', '']],
  ['a title with a long end in pieces is removed', ['a\u001b]0;title\u001b', '\\b'], ['a', 'b', '']],
  [
    'an emoji may arrive in pieces',
    ['👨', '\u200d👩 1', '\ufe0f\u20e3'],
    ['👨', '\u200d👩 1', '\ufe0f\u20e3', ''],
  ],
  ['joiners of Latin letters are removed, also in pieces', ['pay', '\u200dpal'], ['pay', 'pal', '']],
  ['an unfinished control sequence at the end is removed', ['a\u001b[3'], ['a', '']],
])('%s', (_, pieces, expected) => {
  expect(filtered(...pieces)).toEqual(expected)
})
