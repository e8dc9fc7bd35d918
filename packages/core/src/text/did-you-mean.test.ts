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

test('a similar name without its qualifier', () => {
  const known = ['mcp__notes__drop', 'mcp__files__read_file', 'mcp__files__read_files_at']
  expect(didYouMean('red_file', known)).toBe('did you mean "mcp__files__read_file"?')
  expect(didYouMean('files__read_flie', known)).toBe('did you mean "mcp__files__read_file"?')
  expect(didYouMean('frobnicate', known)).toBe('')
})

test('hundreds of invented names do not block the event loop for long', () => {
  const known = Array.from({ length: 1_000 }, (_, index) => `mcp__server__tool_${index}`)
  const startedAt = performance.now()
  expect(didYouMean('x'.repeat(4_000_000), known)).toBe('')
  for (let index = 0; index < 200; index++) expect(didYouMean(`${index}`.padEnd(120, 'x'), known)).toBe('')
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})
