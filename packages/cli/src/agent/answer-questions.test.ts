import type { Question, QuestionHandler } from '@curfew/core'
import { expect, test, vi } from 'vitest'
import { answerQuestions } from './answer-questions.ts'

const approval = (exactRule: string, restriction: string | null = null): Question =>
  ({ kind: 'approval', tool: 'run', exactRule, restriction, message: 'Allow run?' }) as unknown as Question
const secretUse = { kind: 'secret-use', key: 'KEY' } as unknown as Question
const context = { signal: new AbortController().signal }

test('--yes answers approvals, and nothing else', () => {
  const answer = answerQuestions({ yes: true, terminal: undefined })
  expect(answer(approval('run'), context)).toBe('once')
  expect(answer(secretUse, context)).toBeUndefined()
  expect(answer(approval('run', 'git runs hooks'), context)).toEqual({
    answer: 'no',
    reason: expect.stringContaining('git runs hooks. That needs the approval of a person'),
  })
})

test('with a terminal, the person is asked', () => {
  const terminal = vi.fn<QuestionHandler>(() => 'once')
  expect(answerQuestions({ yes: false, terminal })(approval('run'), context)).toBe('once')
  expect(terminal).toHaveBeenCalledOnce()
})

test.each([
  ["run(it's)", `--allow 'run(it'\\''s)'`],
  [`run(${'x'.repeat(300)})`, `--allow 'run',`],
  ['run(a\nb)', `--allow 'run',`],
  ['run(a\u202eb)', `--allow 'run',`],
])('without one, %j is denied with an option that a shell understands', (rule, option) => {
  const answer = answerQuestions({ yes: false, terminal: undefined })(approval(rule), context)
  expect(answer).toMatchObject({ answer: 'no', reason: expect.stringContaining(option) })
})
