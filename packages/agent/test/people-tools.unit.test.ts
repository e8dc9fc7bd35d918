import { askUserTool, todoTool } from '@curfew/agent/tools'
import { createRuntime, type Question, type RuntimeOptions } from '@curfew/core'
import { createFakeClock } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'

function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const asked: Question[] = []
  const changes: number[] = []
  const runtime = createRuntime({ clock, approval: 'ask', log: () => {}, ...options })
  const todos = todoTool(runtime)
  runtime.register(askUserTool, todos.tool)
  runtime.onTransition(({ to }) => void (to === 'awaiting_approval' && changes.push(1)))
  const conversation = runtime.conversation({ beforeChanges: () => void changes.push(2) })
  const call = async (name: string, params: object) =>
    (await clock.runUntil(conversation.execute([{ id: '1', name, params }])))[0]!
  return { clock, runtime, conversation, call, asked, changes, todos }
}

describe('ask_user', () => {
  test('returns what the person typed or chose, without asking for approval first', async () => {
    const questions: Question[] = []
    const { call, changes } = setUp({
      ask: (question) => {
        questions.push(question)
        return { text: 'main' }
      },
    })
    expect(await call('ask_user', { question: 'Which branch?' })).toMatchObject({
      content: 'main',
      value: { answer: 'main', reason: null },
    })
    await call('ask_user', { question: 'Which branch?', choices: ['main', 'next'] })
    expect(questions).toMatchObject([
      { kind: 'input', message: 'The model asks: Which branch?', choices: null },
      { kind: 'input', choices: ['main', 'next'] },
    ])
    expect(changes).toEqual([])
  })

  test('the clock is paused while the person thinks', async () => {
    const { clock, conversation, runtime } = setUp({ ask: () => 'later', approvalTimeout: '1h' })
    const running = conversation.execute([{ id: '1', name: 'ask_user', params: { question: 'Now?' } }])
    await clock.advance(1_800_000)
    const [question] = runtime.getSnapshot().questions
    runtime.answer(question!.id, { text: 'yes' })
    const [result] = await clock.runUntil(running)
    expect(result).toMatchObject({ status: 'success', content: 'yes' })
    expect(result!.durationMs).toBeLessThan(1_000)
  })

  test.each<[string, RuntimeOptions]>([
    ['nobody can be asked', {}],
    ['the answer is not one of the choices', { ask: () => ({ text: 'neither' }) }],
    ['nobody answers in time', { ask: () => 'later' as const, approvalTimeout: '1m' }],
  ])('if %s, the model is told to decide', async (_case, options) => {
    const { call } = setUp(options)
    expect(await call('ask_user', { question: 'Which?', choices: ['a', 'b'] })).toMatchObject({
      status: 'success',
      value: { answer: null },
      content: expect.stringMatching(/^There is no answer: nobody .*Decide yourself.*say in your answer/),
    })
  })

  test('is cancelled with its call', async () => {
    const { clock, conversation, runtime } = setUp({ ask: () => 'later' })
    const running = conversation.execute([{ id: '1', name: 'ask_user', params: { question: 'Now?' } }])
    await clock.advance(10)
    runtime.cancelAll()
    expect(await clock.runUntil(running)).toMatchObject([{ status: 'cancelled' }])
    expect(runtime.getSnapshot().questions).toEqual([])
  })

  test.each([{ question: '' }, { question: 'a'.repeat(4_001) }, { question: 'a', choices: ['x', 'x'] }])(
    'rejects %j',
    async (params) => {
      expect(await setUp().call('ask_user', params)).toMatchObject({ code: 'INVALID_PARAMS' })
    },
  )
})

describe('write_todos', () => {
  const todo = (task: string, status: string) => ({ task, status })

  test('keeps one list per conversation, which user interfaces can read', async () => {
    const { call, todos, conversation, runtime, changes } = setUp()
    const list = [todo('a', 'completed'), todo('b', 'in_progress'), todo('c', 'pending')]
    expect(await call('write_todos', { todos: list })).toMatchObject({
      status: 'success',
      content: 'Saved: 1 of 3 completed, 1 pending; in progress: b',
      value: { todos: list },
    })
    expect(todos.list(conversation.id)).toEqual(list)
    expect(todos.list(runtime.conversation().id)).toEqual([])
    expect(await call('write_todos', { todos: [] })).toMatchObject({ content: 'The list is empty.' })
    expect(todos.list(conversation.id)).toEqual([])
    expect(changes).toEqual([])
  })

  test('rejects two tasks in progress, an unknown status and a list that is too long', async () => {
    const { call, todos, conversation } = setUp()
    await call('write_todos', { todos: [todo('a', 'pending')] })
    for (const list of [
      [todo('a', 'in_progress'), todo('b', 'in_progress')],
      [todo('a', 'done')],
      [todo('', 'pending')],
      Array.from({ length: 101 }, () => todo('a', 'pending')),
    ])
      expect(await call('write_todos', { todos: list })).toMatchObject({ code: 'INVALID_PARAMS' })
    expect(todos.list(conversation.id)).toEqual([todo('a', 'pending')])
  })
})
