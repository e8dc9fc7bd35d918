import { expect, it } from 'vitest'
import { wrapLines } from './text-style.ts'

it.each([
  ['between words', 'a bb ccc', 4, '', '', ['a bb', 'ccc']],
  ['within a word that is too long', 'abcdefgh i', 5, '+ ', '  ', ['+ abc', '  def', '  gh', '  i']],
  ['by columns rather than characters', '日本語', 4, '', '', ['日本', '語']],
])('wraps %s', (_, text, width, first, rest, expected) => {
  expect(wrapLines(text, width, first, rest)).toEqual(expected)
})
