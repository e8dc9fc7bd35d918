import { createRuntime, type RuntimeOptions, type ToolCall } from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { codes, person } from './support/approval-setup.ts'

function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, log: () => {}, ...options })
  runtime.register(
    scriptedTool({ clock, name: 'write', resources: ({ path }) => [String(path)], script: [{ wait: 10 }] }),
    scriptedTool({ clock, name: 'ask', readOnly: true, script: [{ ask: 'Which one?' }] }),
  )
  return { clock, runtime }
}

const write = (path: string): ToolCall => ({ id: path, name: 'write', params: { path } })

test('a late listener sees the open question and can answer it', async () => {
  const { clock, runtime } = setUp({ ask: () => 'later' })
  const running = runtime.execute([write('a')])
  await clock.advance(60_000)
  const [question] = runtime.getSnapshot().questions
  expect(question).toMatchObject({ kind: 'approval', tool: 'write', conversation: 'default', client: null })
  const late = person('later')
  runtime.onQuestion(late)
  await clock.advance(0)
  expect(late.asked).toEqual([question])
  expect(runtime.answer(question!.id, 'once')).toBe(true)
  expect(codes(await clock.runUntil(running))).toEqual(['success'])
  expect(runtime.answer(question!.id, 'no')).toBe(false)
  expect(runtime.getSnapshot().questions).toEqual([])
})

test('listeners are notified when a question opens and closes', async () => {
  const { clock, runtime } = setUp({ ask: () => 'later' })
  const counts: number[] = []
  runtime.subscribe(() => counts.push(runtime.getSnapshot().questions.length))
  const running = runtime.execute([write('a'), write('b')])
  await clock.advance(10)
  expect(counts.at(-1)).toBe(2)
  const { questions } = runtime.getSnapshot()
  expect(runtime.getSnapshot().questions).toBe(questions)
  runtime.answer(questions[0]!.id, 'no')
  runtime.answer(questions[1]!.id, { answer: 'no', reason: 'not now' })
  await clock.runUntil(running)
  await clock.advance(0)
  expect(counts.at(-1)).toBe(0)
})

test('questions of tools and for secrets are state, too', async () => {
  const { clock, runtime } = setUp({ ask: () => 'later' })
  const running = runtime.execute([{ id: '1', name: 'ask' }])
  await clock.advance(10)
  const [question] = runtime.getSnapshot().questions
  expect(question).toMatchObject({ kind: 'input', message: 'Which one?' })
  runtime.answer(question!.id, { text: 'this' })
  expect(codes(await clock.runUntil(running))).toEqual(['success'])
})

test('a question is closed when its call is cancelled, expires, or nobody is left to answer', async () => {
  const { clock, runtime } = setUp({ approvalTimeout: 1_000 })
  const remove = runtime.onQuestion(() => 'later')
  const running = runtime.execute([write('a'), write('b'), write('c')])
  await clock.advance(10)
  expect(runtime.getSnapshot().questions).toHaveLength(3)
  runtime.cancel('a')
  expect(runtime.getSnapshot().questions).toHaveLength(2)
  remove()
  await clock.advance(0)
  expect(runtime.getSnapshot().questions).toEqual([])
  expect(codes(await clock.runUntil(running))).toEqual(['CANCELLED', 'DENIED', 'DENIED'])
  runtime.onQuestion(() => 'later')
  expect(codes(await clock.runUntil(runtime.execute([write('d')])))).toEqual(['APPROVAL_EXPIRED'])
  expect(runtime.getSnapshot().questions).toEqual([])
})

test('only the first of several answers counts', async () => {
  const { clock, runtime } = setUp()
  const conversation = runtime.conversation({ ask: () => 'later' })
  runtime.onQuestion(() => 'later')
  const running = conversation.execute([write('a')])
  await clock.advance(10)
  const [{ id } = { id: 0 }] = runtime.getSnapshot().questions
  expect([runtime.answer(id, 'no'), runtime.answer(id, 'once'), runtime.answer(id, 'stop')]).toEqual([
    true,
    false,
    false,
  ])
  expect(codes(await clock.runUntil(running))).toEqual(['DENIED'])
})

test('an invalid answer denies', async () => {
  const { clock, runtime } = setUp({ ask: () => 'later' })
  const running = runtime.execute([write('a')])
  await clock.advance(10)
  expect(runtime.answer(1e9, 'once')).toBe(false)
  expect(runtime.answer(runtime.getSnapshot().questions[0]!.id, { answer: 'yes!' } as never)).toBe(true)
  expect(codes(await clock.runUntil(running))).toEqual(['DENIED'])
})

test('an answer or a rule that covers thousands of open questions ends them all', async () => {
  const { clock, runtime } = setUp({
    ask: () => 'later',
    limits: { callsPerTurn: 10_000 },
    breaker: { maxCallsPerWindow: 10_000 },
  })
  const calls = Array.from({ length: 2_500 }, (_, index) => write(String(index)))
  const answered = runtime.execute(calls)
  await clock.settle()
  const { questions } = runtime.getSnapshot()
  expect(questions).toHaveLength(2_500)
  runtime.answer(questions[0]!.id, 'turn')
  expect(new Set(codes(await clock.runUntil(answered)))).toEqual(new Set(['success']))
  const denied = runtime.execute(calls)
  await clock.settle()
  runtime.rules.add('deny', 'write')
  expect(new Set(codes(await clock.runUntil(denied)))).toEqual(new Set(['DENIED']))
})

test('a call that waited for an answer knows the rule or the answer that allowed it', async () => {
  const { clock, runtime } = setUp({ ask: () => 'later' })
  const first = runtime.execute([write('a'), write('b')])
  await clock.settle()
  runtime.answer(runtime.getSnapshot().questions[0]!.id, 'turn')
  await clock.runUntil(first)
  const second = runtime.execute([write('c')])
  await clock.settle()
  runtime.rules.add('allow', 'write')
  await clock.runUntil(second)
  expect(runtime.getSnapshot().calls.map(({ allowedBy }) => allowedBy)).toEqual([
    { kind: 'answer', rule: null },
    { kind: 'turn', rule: 'write' },
    { kind: 'rule', rule: 'write' },
  ])
})

test('an answer that is removed at once does not stay stored', async () => {
  const stored = new Set<string>()
  const slowly = (ms: number) => new Promise<void>((resolve) => void clock.setTimer(ms, resolve))
  const { clock, runtime } = setUp({
    ask: () => 'always',
    approval: {
      remember: async (rule) => {
        await slowly(100)
        stored.add(rule)
      },
      forget: (rule) => void stored.delete(rule),
    },
  })
  await clock.runUntil(runtime.execute([write('a')]))
  const [remembered] = runtime.rules.list()
  expect(runtime.rules.remove('allow', remembered!.rule)).toBe(true)
  await clock.advance(1_000)
  expect([...stored]).toEqual([])
})
