import { expect, test } from 'vitest'
import { splitWords } from './split-words.ts'

test.each<[string, string[]]>([
  ['', []],
  ['a  b\nc', ['a', 'b', 'c']],
  ['text="a b" x', ['text=a b', 'x']],
  ['\'a "b"\' "it\'s"', ['a "b"', "it's"]],
  ['a\\ b', ['a b']],
  ['"a\\"b\\\\c\\n"', ['a"b\\c\\n']],
  ['C:\\path \\d+', ['C:\\path', '\\d+']],
  ["''", ['']],
  ['a; b | c $(d)', ['a;', 'b', '|', 'c', '$(d)']],
])('%j is %j', (text, words) => {
  expect(splitWords(text)).toEqual(words)
})

test('an open quote is an error', () => {
  expect(() => splitWords('a "b')).toThrow('expected a closing "')
})
