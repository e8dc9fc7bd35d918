import { expect, test } from 'vitest'
import { labelQuestion, labelQuestions } from './label-questions.ts'

const hidden = { message: 'Delete \u202eelif?' }

test('invisible characters in a question are escaped, with one server and with several', () => {
  expect(labelQuestion(null, 'elicitation/create', hidden).message).toBe('Delete \\u202eelif?')
  expect(labelQuestion('files', 'elicitation/create', hidden).message).toBe('files asks: Delete \\u202eelif?')
  const result = { inputRequests: { a: { method: 'elicitation/create', params: hidden } } }
  expect(labelQuestions(null, result)).toMatchObject({
    inputRequests: { a: { params: { message: 'Delete \\u202eelif?' } } },
  })
})

test('other results are unchanged', () => {
  expect(labelQuestion('files', 'sampling/createMessage', hidden)).toBe(hidden)
})
