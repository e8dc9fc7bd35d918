import type { Question } from '@curfew/core'
import { expect, test } from 'vitest'
import { questionText } from './terminal-questions.ts'

const base = {
  id: 1,
  conversation: 'default',
  client: null,
  callUid: 1,
  callId: '1',
  tool: 'run',
  params: {},
}

test('the arguments of a call are shown unchanged, with control characters escaped', () => {
  const message = 'Allow run? Its arguments:\n  code: "a    b\u001b[2K\u202e"'
  const question = { ...base, kind: 'approval', message, destructive: true, askRule: null, exactRule: 'run' }
  expect(questionText(question as Question, 20)).toBe(
    'Allow run? Its arguments:\n  code: "a    b\\u001b[2K\\u202e"',
  )
})

test('other questions are wrapped at spaces', () => {
  const question: Question = {
    ...base,
    kind: 'input',
    message: 'Which branch should it be?',
    choices: null,
  }
  expect(questionText(question, 14)).toBe('Which branch\nshould it be?')
})
