import { expect, test } from 'vitest'
import { storablePrompt } from './prompt-history.ts'

const redact = (text: string): string => text.replaceAll('hunter2', '[redacted]')

test.each<[string, string | null]>([
  ['fix the tests', 'fix the tests'],
  ['  private', null],
  [' \n', null],
  ['my password is hunter2', 'my password is [redacted]'],
  ['/secret GITHUB_TOKEN', '/secret GITHUB_TOKEN'],
  ['/secret', '/secret'],
  ['/secret GITHUB_TOKEN abc', null],
  ['/secret abc', null],
  ['/secrt GITHUB_TOKEN abc', null],
  ['/Secret abc', null],
  ['/search abc', '/search abc'],
  ['/model google:gemini', '/model google:gemini'],
])('%j', (text, expected) => {
  expect(storablePrompt(text, redact)).toBe(expected)
})

test('nothing is stored if it cannot be redacted', () => {
  const failing = (): string => {
    throw new Error('closed')
  }
  expect(storablePrompt('text', failing)).toBe(null)
})
