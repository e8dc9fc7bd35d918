import { expect, it } from 'vitest'
import { leadOf } from './lead.ts'

it.each([
  ['Apply patches to a file.', 'imperative', 'apply'],
  ['Reply to a message.', 'imperative', 'reply'],
  ['Multiply two numbers.', 'imperative', 'multiply'],
  ['Safely delete a file.', 'imperative', 'delete'],
  ['Please, list the files.', 'imperative', 'list'],
  ['Quickly lists files.', 'third-person', 'list'],
  ['Listing files.', 'gerund', 'list'],
  ['List of files.', 'noun', undefined],
  ['The weather of a city.', 'noun', undefined],
  ['Nightly sync.', 'unknown', 'nightly'],
  ['Frobnicate the records.', 'unknown', 'frobnicate'],
  ['', 'noun', undefined],
])('%s', (sentence, kind, verb) => {
  expect(leadOf(sentence)).toMatchObject({ kind, verb })
})
