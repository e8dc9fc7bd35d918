import type { Question } from '@curfew/core'
import { expect, test } from 'vitest'
import { openForm } from '../questions/open-form.ts'
import { answerForm, describeForm } from './spoken-form.ts'

const base = {
  id: 1,
  conversation: 'default',
  client: null,
  callUid: 1,
  callId: '1',
  tool: 'run',
  params: {},
  message: '',
}
const approval = {
  ...base,
  kind: 'approval',
  destructive: true,
  askRule: null,
  restriction: null,
  canRemember: true,
  exactRule: 'run(a)',
  preview: null,
} as const
const formOf = (question: object) =>
  openForm(question as Question, (rule) => rule === 'run(a)' || rule === 'run')

test('an approval is a list of words', () => {
  expect(describeForm(formOf(approval).snapshot)).toEqual([
    'y: Yes, once',
    't: Yes, for this turn: every call of run',
    'a: Yes, always: run(a)',
    'n: No: you can add a reason',
    's: Stop everything',
    'Type y, t, a, n or s and press Enter.',
  ])
})

test.each([
  ['y', 'once'],
  [' Y ', 'once'],
  ['once', 'once'],
  ['yes', 'once'],
  ['yes, once', 'once'],
  ['s', 'stop'],
])('%j is an answer', (typed, answer) => {
  expect(answerForm(formOf(approval), typed)).toEqual({ kind: 'answer', answer })
})

test.each(['', 'x', 'yes please', 'y y', '9'])('%j is no answer', (typed) => {
  expect(answerForm(formOf(approval), typed)).toBeNull()
})

test('a reason follows "no"', () => {
  const form = formOf(approval)
  expect(answerForm(form, 'n')).toEqual({ kind: 'done' })
  expect(describeForm(form.snapshot)).toEqual(['Type a reason for the model, or press Enter without one.'])
  expect(answerForm(form, 'not y')).toEqual({ kind: 'answer', answer: { answer: 'no', reason: 'not y' } })
})

test('a rule is added only after it was shown, also if it was typed', () => {
  const form = formOf(approval)
  answerForm(form, 'a')
  expect(describeForm(form.snapshot).slice(0, 2)).toEqual([
    'Rule: run(a)',
    expect.stringMatching(/^It allows /),
  ])
  expect(answerForm(form, 'other')).toEqual({ kind: 'done' })
  expect(describeForm(form.snapshot).join()).toContain('does not match the call')
  expect(answerForm(form, '')).toEqual({ kind: 'done' })
  answerForm(form, 'run')
  expect(describeForm(form.snapshot)[0]).toBe('Rule: run')
  expect(answerForm(form, '')).toEqual({ kind: 'answer', answer: { answer: 'always', rule: 'run' } })
})

test('"back" returns to the answers', () => {
  const form = formOf(approval)
  answerForm(form, 't')
  answerForm(form, 'back')
  expect(answerForm(form, 'y')).toEqual({ kind: 'answer', answer: 'once' })
})

test('choices are numbered, and can be typed', () => {
  const choices = Array.from({ length: 12 }, (_, index) => `Branch ${index}`)
  const question = { ...base, kind: 'input', choices }
  expect(describeForm(formOf(question).snapshot).slice(-2)).toEqual([
    '12: Branch 11',
    'Type a number from 1 to 12 and press Enter.',
  ])
  expect(answerForm(formOf(question), '11')).toEqual({ kind: 'answer', answer: { text: 'Branch 10' } })
  expect(answerForm(formOf(question), 'branch 3')).toEqual({ kind: 'answer', answer: { text: 'Branch 3' } })
  expect(answerForm(formOf(question), '13')).toBeNull()
})

test('text and secrets', () => {
  const text = formOf({ ...base, kind: 'input', choices: null })
  expect(answerForm(text, '')).toEqual({ kind: 'done' })
  expect(describeForm(text.snapshot)).toEqual([expect.stringContaining('empty')])
  expect(answerForm(text, 'main')).toEqual({ kind: 'answer', answer: { text: 'main' } })
  const secret = { ...base, kind: 'secret', key: 'KEY', use: null, reason: 'missing' }
  expect(answerForm(formOf(secret), 'long-enough-value')).toEqual({
    kind: 'answer',
    answer: { secret: 'long-enough-value' },
  })
  expect(answerForm(formOf(secret), '')).toEqual({ kind: 'answer', answer: 'no' })
})
