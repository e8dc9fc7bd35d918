import { defineTool, type ToolCall } from '@curfew/core'
import { expect, test } from 'vitest'
import { codes } from './support/approval-setup.ts'
import { setUp as setUpScheduling } from './support/scheduling-setup.ts'

function setUp(options = {}) {
  const parts = setUpScheduling(options)
  parts.tool('write')
  parts.tool('read', { readOnly: true, concurrent: true })
  parts.tool('append', { resources: ({ path }) => [String(path)] })
  const turn = parts.runtime.conversation().turn()
  return { ...parts, turn, step: turn.step() }
}

const call = (name: string, label: string, params = {}): ToolCall => ({
  id: label,
  name,
  params: { label, ...params },
})

test('reserved calls run in the order of their reservations, whichever is started first', async () => {
  const { clock, step, events } = setUp()
  const calls = [call('write', 'A'), call('read', 'r1'), call('write', 'B'), call('read', 'r2')]
  const reserved = calls.map((next) => step.reserve(next))
  const results = await clock.runUntil(Promise.all(reserved.toReversed().map((next) => next.run())))
  expect(events).toEqual(['+A', '-A', '+r1', '-r1', '+B', '-B', '+r2', '-r2'])
  expect(results.map(({ id }) => id)).toEqual(['r2', 'B', 'r1', 'A'])
})

test('keys order the calls of a step by reservation, and those of other batches by start', async () => {
  const { clock, runtime, step, events } = setUp()
  const first = step.reserve(call('append', 'first', { path: 'a' }))
  const second = step.reserve(call('append', 'second', { path: 'a' }))
  const third = step.reserve(call('append', 'third', { path: 'b' }))
  const others = [second.run(), third.run()]
  // A reservation blocks only later calls of its own step.
  await clock.runUntil(runtime.execute([call('append', 'other', { path: 'a' })]))
  expect(events).toEqual(['+third', '+other', '-third', '-other'])
  await clock.runUntil(Promise.all([first.run(), ...others]))
  expect(events.slice(4)).toEqual(['+first', '-first', '+second', '-second'])
})

test('a reservation that is released, aborted or left behind does not block later ones', async () => {
  const { clock, step, events } = setUp()
  const [released, aborted, dropped, last] = ['released', 'aborted', 'dropped', 'last'].map((label) =>
    step.reserve(call('write', label)),
  )
  const running = last!.run()
  released!.release()
  const cancelled = aborted!.run({ signal: AbortSignal.abort() })
  await clock.advance(1_000)
  expect(events).toEqual([])
  step.close()
  expect(codes([await clock.runUntil(running)])).toEqual(['success'])
  expect(codes(await Promise.all([released!.run(), cancelled, dropped!.run()]))).toEqual(
    Array(3).fill('CANCELLED'),
  )
  expect(() => step.reserve(call('read', 'late'))).toThrow('the step is closed')
})

test('a started call is not released; run() returns the same promise', async () => {
  const { clock, step } = setUp()
  const reservation = step.reserve(call('write', 'a'))
  const running = reservation.run()
  reservation.release()
  expect(reservation.run()).toBe(running)
  expect(codes([await clock.runUntil(running)])).toEqual(['success'])
})

test('invalid and denied calls get a result, and do not block later ones', async () => {
  const { clock, runtime, step } = setUp({ approval: { default: 'allow', rules: { deny: ['write'] } } })
  const reserved = [call('nothing', 'x'), call('write', 'w'), call('read', 'r')].map((next) =>
    step.reserve(next),
  )
  expect(codes(await clock.runUntil(Promise.all(reserved.map((next) => next.run()))))).toEqual([
    'TOOL_NOT_FOUND',
    'DENIED',
    'success',
  ])
  step.close()
  expect(runtime.getSnapshot().calls.every(({ endedAt }) => endedAt !== null)).toBe(true)
})

test('calls with an asynchronous schema are admitted in order', async () => {
  const { clock, runtime, step, events } = setUp()
  const { defineTool } = await import('@curfew/core')
  const { z } = await import('zod')
  runtime.register(
    defineTool({
      name: 'slow',
      description: 'Validate slowly.',
      parameters: z.object({ label: z.string().refine(async () => true) }),
      execute: ({ label }) => void events.push(String(label)),
    }),
  )
  const reserved = [call('slow', 's1'), call('write', 'w'), call('slow', 's2')].map((next) =>
    step.reserve(next),
  )
  await clock.runUntil(Promise.all(reserved.toReversed().map((next) => next.run())))
  expect(events).toEqual(['s1', '+w', '-w', 's2'])
})

test('a step counts, warns and detects loops as a batch does', async () => {
  const { clock, runtime } = setUp()
  const turn = runtime.conversation({ limits: { callsPerTurn: 8 } }).turn()
  const outcomes: string[] = []
  const notices: string[] = []
  for (let round = 0; round < 9; round++) {
    const step = turn.step()
    const result = await clock.runUntil(step.reserve(call('read', 'same')).run())
    step.close()
    outcomes.push(String(codes([result])))
    notices.push(...result.notices.map((notice) => notice.slice(0, 18)))
  }
  expect(outcomes).toEqual([...Array(5).fill('success'), ...Array(3).fill('LOOP_DETECTED'), 'LIMIT_EXCEEDED'])
  expect(notices).toContain('The same calls ret')
  expect(notices).toContain('7 of 8 tool calls ')
  expect(turn.status()).toMatchObject({ loop: 'stopped', windDown: true, callsLeft: 0 })
})

test('turn.cancel() and conversation.close() end reserved calls', async () => {
  const { clock, runtime } = setUp()
  const conversation = runtime.conversation()
  const turn = conversation.turn()
  const step = turn.step()
  const reservation = step.reserve(call('write', 'a'))
  turn.cancel()
  expect(codes([await reservation.run(), await step.reserve(call('read', 'b')).run()])).toEqual([
    'CANCELLED',
    'CANCELLED',
  ])
  const other = conversation.turn().step().reserve(call('write', 'c'))
  await clock.runUntil(conversation.close())
  expect(codes([await other.run()])).toEqual(['CANCELLED'])
})

test('turn.run keeps the order of calls that overlap, and closes their step when the last has ended', async () => {
  const { clock, turn, events } = setUp()
  const calls = [call('write', 'A'), call('read', 'r1'), call('write', 'B'), call('read', 'r2')]
  const results = await clock.runUntil(Promise.all(calls.map((next) => turn.run(next))))
  expect(events).toEqual(['+A', '-A', '+r1', '-r1', '+B', '-B', '+r2', '-r2'])
  expect(results.map(({ id }) => id)).toEqual(['A', 'r1', 'B', 'r2'])
})

test('turn.run detects loops across its steps', async () => {
  const { clock, turn } = setUp({ loops: { nudgeAfter: 2, stopAfter: 3 } })
  const seen: unknown[] = []
  for (let index = 0; index < 4; index++)
    seen.push(...codes([await clock.runUntil(turn.run(call('read', 'same')))]))
  expect(seen).toEqual(['success', 'success', 'success', 'LOOP_DETECTED'])
})

test('turn.run loads a stub once no other call is running', async () => {
  const { clock, runtime } = setUp()
  const parameters = { type: 'object', properties: { all: { type: 'boolean', default: true } } } as const
  runtime.register(
    defineTool({ name: 'remove', description: 'Remove.', parameters, execute: () => 'removed' }),
  )
  const turn = runtime.conversation({ view: 'stub' }).turn()
  const remove = () => turn.run({ id: 'x', name: 'remove', params: {} })
  expect(await clock.runUntil(Promise.all([remove(), remove()]))).toMatchObject([
    { loaded: true },
    { loaded: true },
  ])
  expect(await clock.runUntil(turn.run({ id: 'x', name: 'remove', params: { all: false } }))).toMatchObject({
    value: 'removed',
  })
})

test('a call of turn.run that is aborted or invalid does not block later ones; misuse rejects', async () => {
  const { clock, turn } = setUp()
  const signal = AbortSignal.abort()
  const running = [
    turn.run(call('write', 'a'), { signal }),
    turn.run(call('none', 'b')),
    turn.run(call('write', 'c')),
  ]
  expect(codes(await clock.runUntil(Promise.all(running)))).toEqual([
    'CANCELLED',
    'TOOL_NOT_FOUND',
    'success',
  ])
  await expect(turn.run(call('write', 'd'), { sgnal: signal } as never)).rejects.toThrow(
    'sgnal: unknown option',
  )
  await expect(turn.run(null as never)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  expect(codes([await clock.runUntil(turn.run(call('write', 'e')))])).toEqual(['success'])
})

test('a reservation reports the changes of its own call', async () => {
  const { clock, step } = setUp()
  const [first, second] = ['a', 'b'].map((label) => step.reserve(call('write', label)))
  const seen: string[] = []
  const unsubscribe = first!.subscribe(({ id, status }) => seen.push(`${id} ${status}`))
  await clock.runUntil(Promise.all([first!.run(), second!.run()]))
  await new Promise((resolve) => setImmediate(resolve))
  unsubscribe()
  expect(seen.at(-1)).toBe('a success')
  expect(seen.every((line) => line.startsWith('a '))).toBe(true)
})

test('a turn knows its conversation', () => {
  const { runtime } = setUp()
  const conversation = runtime.conversation()
  expect(conversation.turn().conversation).toBe(conversation)
})
