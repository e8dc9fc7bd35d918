import type { HistoryItem } from '@curfew/agent'
import { expect, test } from 'vitest'
import { submissionStatus } from './submission-status.ts'

const user: HistoryItem = { type: 'user', id: 1, at: 0, source: 'person', parts: [] }
const assistant: HistoryItem = { type: 'assistant', id: 2, at: 0, model: 'a:b', parts: [] }
const results: HistoryItem = { type: 'results', id: 3, at: 0, results: [] }

test.each<[string, readonly HistoryItem[], number, ReturnType<typeof submissionStatus>]>([
  ['an empty conversation', [], 0, 'answered'],
  ['a prompt', [user], 0, 'unsubmitted'],
  ['a prompt that was sent', [user], 1, 'submitted'],
  ['a response', [user, assistant], 1, 'answered'],
  ['results', [user, assistant, results], 1, 'unsubmitted'],
  ['results that were sent', [user, assistant, results], 3, 'submitted'],
  ['a conversation that was rewound', [user], 3, 'submitted'],
])('%s', (_name, items, submittedItemId, status) => {
  expect(submissionStatus({ items, submittedItemId })).toBe(status)
})
