import { expect, test } from 'vitest'
import { didYouMean } from './did-you-mean.ts'

test.each([
  ['wordcount', 'did you mean "word_count"?'],
  ['read_fiel', 'did you mean "read_file"?'],
  ['frobnicate', ''],
  ['mcp__files__read_fil', 'did you mean "mcp__files__read_file"?'],
  ['mcp__file__read_file', 'did you mean "mcp__files__read_file"?'],
  ['mcp__files__nope', ''],
  ['mcp__files__', ''],
])('%s', (input, expected) => {
  expect(didYouMean(input, ['word_count', 'read_file', 'mcp__files__read_file', 'mcp__files__drop'])).toBe(
    expected,
  )
})
