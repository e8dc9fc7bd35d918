import { expect, test } from 'vitest'
import { readPlan } from './plan-tool.ts'

test('reads a plan, also in a code fence', () => {
  const plan = {
    summary: 'Add it.',
    steps: [{ title: 'Write the test', details: 'It fails.', files: ['a.test.ts'] }],
    risks: ['None.'],
    questions: [],
  }
  expect(readPlan(JSON.stringify(plan))).toEqual(plan)
  expect(readPlan(`Here it is:\n\`\`\`json\n${JSON.stringify(plan)}\n\`\`\``)).toEqual(plan)
})

test('a plan that is not JSON is its summary, with its list as steps', () => {
  const text = 'First look.\n1. Write the test\n   It fails.\n2) Fix it'
  expect(readPlan(text)).toMatchObject({
    summary: text,
    steps: [{ title: 'Write the test' }, { title: 'Fix it' }],
  })
})

test('steps may be strings; what is invalid is left out', () => {
  const answer = '{"steps": ["Do it", {"title": ""}, 7, null], "risks": "x", "questions": [1, "Why?"]}'
  expect(readPlan(answer)).toEqual({
    summary: '',
    steps: [{ title: 'Do it', details: '', files: [] }],
    risks: [],
    questions: ['Why?'],
  })
})
