import type { SessionRecord } from '@curfew/agent'
import type { Question } from '@curfew/core'
import { expect, test } from 'vitest'
import { endMessage, endOf, type Script, setUp } from './support/agent-setup.ts'
import { expectBalanced } from './support/expect-balanced.ts'

/** Calls a tool until it is asked for a final answer. */
const counting =
  (created: () => ReturnType<typeof setUp>): Script =>
  (request) =>
    created().model.requests[request]!.toolChoice?.type === 'none'
      ? { text: 'Enough.' }
      : { calls: [{ name: 'count' }] }

function setUpCounting(answer: 'yes' | 'no' | undefined, count = 0, limit = 5, perPrompt = 100) {
  const questions: Question[] = []
  const records: SessionRecord[] = []
  const created: ReturnType<typeof setUp> = setUp(
    counting(() => created),
    {
      limits: { continuations: perPrompt, conversationContinuations: limit },
      counts: { continuations: count, usage: {} },
      session: {
        append: (record: SessionRecord) => void records.push(record),
        written: async () => {},
        flush: async () => {},
      },
    },
    {
      ask: (question) => {
        questions.push(question)
        return answer === undefined ? undefined : { text: answer }
      },
    },
  )
  const saved = () => records.findLast((record) => record.type === 'counts')?.continuations
  return { ...created, questions, saved }
}

test('after so many continuations of the conversation the person is asked', async () => {
  const { send, questions, model, items, saved } = setUpCounting('no')
  const events = await send('Go.')
  expect(endOf(events)).toBe('limit')
  expect(endMessage(events)).toBe(
    'the model has continued 5 times in this conversation, and the person stopped it',
  )
  // The prompt, five continuations, and the final answer.
  expect(model.requests).toHaveLength(7)
  expect(questions).toMatchObject([
    {
      kind: 'input',
      callUid: null,
      choices: ['yes', 'no'],
      message:
        'The model has continued 5 times in this conversation (limits.conversationContinuations). May it go on?',
    },
  ])
  expect(saved()).toBe(5)
  expectBalanced(items())
})

test('yes allows as many again', async () => {
  const { send, questions, model, saved } = setUpCounting('yes', 0, 5, 18)
  expect(endOf(await send('Go.'))).toBe('limit')
  // `limits.continuations` ends the turn with the 18th.
  expect(model.requests).toHaveLength(19)
  expect(questions).toHaveLength(3)
  expect(saved()).toBe(17)
})

test('without anybody to ask, the turn winds down', async () => {
  const { send, model } = setUpCounting(undefined)
  const events = await send('Go.')
  expect(endOf(events)).toBe('limit')
  expect(endMessage(events)).toContain('nobody allowed it to go on (limits.conversationContinuations)')
  expect(model.requests.at(-1)).toMatchObject({ toolChoice: { type: 'none' } })
})

test('prompts count together; a prompt itself is no continuation', async () => {
  const { send, questions, model } = setUpCounting('no', 0, 5, 3)
  await send('One.')
  await send('Two.')
  // Two continuations each; the last of every prompt is the final answer without tools.
  expect([questions.length, model.requests.length]).toEqual([0, 8])
  await send('Three.')
  expect([questions.length, model.requests.length]).toEqual([1, 11])
  await send('Four.')
  expect([questions.length, model.requests.length]).toEqual([2, 13])
})

test.each([
  [0, 5, 0],
  [3, 2, 0],
  [5, 0, 0],
  // It was allowed once before.
  [7, 3, 0],
])('a resumed conversation with %d continuations has %d left', async (count, left, _) => {
  const { send, model, saved } = setUpCounting('no', count)
  await send('Go.')
  expect(model.requests).toHaveLength(1 + left + 1)
  expect(saved()).toBe(count + left)
})

test('while the person is asked, the state is `waiting`; ESC withdraws the question', async () => {
  const created: ReturnType<typeof setUp> = setUp(
    counting(() => created),
    { limits: { conversationContinuations: 2 } },
    { ask: () => 'later' },
  )
  const { send, agent, runtime, items } = created
  const running = send('Go.')
  await expect.poll(() => agent.getSnapshot().streamingState).toBe('waiting')
  agent.cancel()
  expect(endOf(await running)).toBe('abort')
  expect(runtime.getSnapshot().questions).toEqual([])
  expect(agent.getSnapshot().streamingState).toBe('idle')
  expectBalanced(items())
})

test('1,000 by default', async () => {
  const created: ReturnType<typeof setUp> = setUp(
    counting(() => created),
    {
      limits: { continuations: Number.POSITIVE_INFINITY },
      counts: { continuations: 998, usage: {} },
    },
  )
  const events = await created.send('Go.')
  expect(endMessage(events)).toContain('continued 1,000 times')
  expect(created.model.requests).toHaveLength(4)
})

test.each([0, -1, 1.5, Number.NaN, '5'])('rejects limits of %s', (value) => {
  for (const name of ['continuations', 'conversationContinuations'])
    expect(() => setUp([], { limits: { [name]: value } })).toThrow(`limits.${name}: expected a whole number`)
})
