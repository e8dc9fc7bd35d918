import { expect, test } from 'vitest'
import { cutAtWord, firstSentence } from './shorten-text.ts'

test.each([
  ['Read a file.', 'Read a file.'],
  ['Read a file', 'Read a file'],
  ['Read a file. Use it often.', 'Read a file…'],
  ['  Read\n  a file.\n', 'Read a file.'],
  ['Read a file\nor a folder.', 'Read a file or a folder.'],
  ['Notion | Retrieve a user\nError Responses:\n400: 400', 'Notion | Retrieve a user…'],
  ['Read a file\n\nas text', 'Read a file…'],
  ['Search, e.g. for v1.2 files. Then stop.', 'Search, e.g. for v1.2 files…'],
  ['ファイルを読む。次に', 'ファイルを読む。…'],
  ['', ''],
  ['\n', ''],
])('the first sentence of %j is %j', (text, expected) => {
  expect(firstSentence(text, 80)).toBe(expected)
})

test('a long sentence loses what is in parentheses, then its last words', () => {
  expect(firstSentence('Name of the pod (for example web-7f9c4d, db-0 or cache-1)', 30)).toBe(
    'Name of the pod…',
  )
  expect(firstSentence('Name of the pod that serves the requests', 20)).toBe('Name of the pod that…')
  expect(firstSentence('x'.repeat(100), 20)).toBe(`${'x'.repeat(20)}…`)
  expect(firstSentence(`${'x'.repeat(19)}😀😀`, 20)).toBe(`${'x'.repeat(19)}…`)
})

test('a short text is kept whole', () => {
  expect(firstSentence('One.\nTwo.', 80, 20)).toBe('One. Two.')
})

test('a text is cut after a word', () => {
  expect(cutAtWord('one two three', 7)).toBe('one two')
  expect(cutAtWord('one two three', 9)).toBe('one two')
  expect(cutAtWord('one two', 7)).toBe('one two')
})
