import { readFileSync } from 'node:fs'
import { createRuntime, defineTool, type RuntimeOptions, type Transition } from '@curfew/core'
import { createFakeClock, recordTransitions, scriptedTool } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'

function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, approval: 'allow', log: () => {}, ...options })
  const transitions: Transition[] = []
  runtime.onTransition((transition) => transitions.push(transition))
  return { clock, runtime, transitions }
}

describe('a transition', () => {
  test('carries the arguments, meta, place and deadline of its call', async () => {
    const { clock, runtime, transitions } = setUp({ maxToolCallTimeout: 1_000 })
    runtime.register(
      scriptedTool({ clock, name: 'work', timeout: 5_000, script: [{ wait: 10 }, { output: 'é!' }] }),
    )
    await clock.runUntil(
      runtime.execute(
        [
          { id: 'a', name: 'work', params: { path: 'x', nested: { deep: [1] } }, meta: { trace: 't1' } },
          { id: 'b', name: 'work' },
        ],
        { turn: 'turn 1' },
      ),
    )
    await clock.runUntil(runtime.execute([{ id: 'c', name: 'work' }]))
    const of = (id: string) => transitions.filter((transition) => transition.id === id)
    expect(of('a').map(({ to }) => to)).toEqual(['validating', 'scheduled', 'executing', 'success'])
    expect(of('a')[0]!.call).toEqual({
      args: { path: 'x', nested: { deep: [1] } },
      meta: { trace: 't1' },
      parentUid: null,
      conversation: 'default',
      turn: 'turn 1',
      batch: 1,
      adapter: null,
      server: null,
      wallTime: 0,
      deadline: null,
      allowedBy: null,
      background: false,
      detachedTo: null,
      continues: null,
      traceContext: null,
      heals: 0,
      pauses: 0,
      pausedMs: 0,
      outputChars: 0,
      outputBytes: 0,
      outputPath: null,
      resultPath: null,
    })
    expect(of('a').at(-1)!.call).toMatchObject({
      adapter: 'function',
      wallTime: 10,
      deadline: {
        timeoutMs: 1_000,
        source: 'maxToolCallTimeout',
        requested: { timeoutMs: 5_000, source: 'tool' },
        shortenedBy: 'maxToolCallTimeout',
      },
      outputChars: 2,
      outputBytes: 3,
    })
    expect(of('b')[0]!.call).toMatchObject({ args: {}, meta: {}, batch: 1 })
    expect(of('c').at(-1)!.call).toMatchObject({ batch: 2, turn: null })
  })

  test('carries what allowed its call', async () => {
    const { clock, runtime, transitions } = setUp({
      approval: { rules: { allow: ['write(rule)'], remembered: ['write(known)'] } },
      ask: (question) =>
        question.kind !== 'approval' || question.callId === 'waits'
          ? 'later'
          : question.callId === 'turn'
            ? 'turn'
            : 'once',
    })
    const parameters = { type: 'object', properties: { path: { type: 'string' } } } as const
    runtime.register(
      defineTool({ name: 'read', description: 'Read.', readOnly: true, execute: () => {} }),
      defineTool({
        name: 'write',
        description: 'Write.',
        parameters,
        resources: () => [],
        execute: () => {},
      }),
      defineTool({ name: 'move', description: 'Move.', parameters, resources: () => [], execute: () => {} }),
    )
    const run = async (id: string, name: string, path?: string) =>
      await clock.runUntil(runtime.execute([{ id, name, params: { ...(path && { path }) } }], { turn: '1' }))
    await run('readOnly', 'read')
    await run('rule', 'write', 'rule')
    await run('remembered', 'write', 'known')
    await run('answer', 'write', 'other')
    await run('turn', 'write', 'another')
    await run('granted', 'write', 'a third')
    const waiting = runtime.execute([{ id: 'waits', name: 'move', params: { path: 'a' } }])
    await clock.advance(1_000)
    runtime.rules.add('allow', 'move(a)')
    await clock.runUntil(waiting)
    const typed = runtime.conversation().turn({ origin: 'person' })
    await clock.runUntil(typed.execute([{ id: 'typed', name: 'move', params: { path: 'b' } }]))
    const allowedBy = (id: string) =>
      transitions.findLast((transition) => transition.id === id)!.call.allowedBy
    expect(allowedBy('readOnly')).toEqual({ kind: 'readOnly', rule: null })
    expect(allowedBy('rule')).toEqual({ kind: 'rule', rule: 'write(rule)' })
    expect(allowedBy('remembered')).toEqual({ kind: 'remembered', rule: 'write(known)' })
    expect(allowedBy('answer')).toEqual({ kind: 'answer', rule: null })
    expect(allowedBy('turn')).toEqual({ kind: 'answer', rule: null })
    expect(allowedBy('granted')).toEqual({ kind: 'turn', rule: 'write' })
    expect(allowedBy('waits')).toEqual({ kind: 'rule', rule: 'move(a)' })
    expect(allowedBy('typed')).toEqual({ kind: 'person', rule: null })
  })

  test('carries the parent, and the deadline that the parent shortened', async () => {
    const { clock, runtime, transitions } = setUp()
    runtime.register(
      scriptedTool({ clock, name: 'child', script: [{ wait: 10 }] }),
      scriptedTool({
        clock,
        name: 'parent',
        timeout: 2_000,
        script: [{ wait: 500 }, { run: ({ execute }) => execute([{ id: 'inner', name: 'child' }]) }],
      }),
    )
    await clock.runUntil(runtime.execute([{ id: 'outer', name: 'parent' }]))
    const inner = transitions.filter(({ id }) => id === 'inner').at(-1)!
    expect(inner.call).toMatchObject({
      parentUid: transitions[0]!.uid,
      batch: 2,
      deadline: {
        timeoutMs: 1_500,
        source: 'parent',
        requested: { timeoutMs: 180_000, source: 'default' },
        shortenedBy: 'parent',
      },
    })
  })

  test('is redacted with the secrets of the time of each transition', async () => {
    const runtime = createRuntime({ approval: 'allow', log: () => {} })
    const seen: unknown[] = []
    runtime.onTransition(({ to, call }) => seen.push([to, (call.args as { text: string }).text]))
    runtime.hideSecret('FIRST', 'first-secret')
    let forget = (): void => {}
    runtime.register(
      defineTool({
        name: 'learn',
        description: 'Learn a secret.',
        parameters: { type: 'object' },
        execute() {
          forget = runtime.hideSecret('SECOND', 'second-secret')
        },
      }),
    )
    const params = { text: 'first-secret second-secret' }
    await runtime.execute([{ id: 'a', name: 'learn', params }])
    forget()
    await runtime.execute([{ id: 'b', name: 'unknown', params }])
    const first = '[secret FIRST] second-secret'
    expect(seen).toEqual([
      ['validating', first],
      ['scheduled', first],
      ['executing', first],
      ['success', '[secret FIRST] [secret SECOND]'],
      ['validating', first],
      ['error', first],
    ])
    await runtime.close()
  })

  test('counts pauses, and contains no secret', async () => {
    const { clock, runtime, transitions } = setUp({
      ask: () => new Promise((resolve) => clock.setTimer(300, () => resolve({ text: 'yes' }))),
    })
    runtime.hideSecret('KEY', 'hunter2-hunter2')
    runtime.register(scriptedTool({ clock, name: 'ask', script: [{ ask: 'one?' }, { ask: 'two?' }] }))
    const secret = 'hunter2-hunter2'
    await clock.runUntil(
      runtime.execute([{ id: 'a', name: 'ask', params: { key: secret }, meta: { key: secret } }]),
    )
    expect(transitions.at(-1)!.call).toMatchObject({
      pauses: 2,
      pausedMs: 600,
      args: { key: '[secret KEY]' },
      meta: { key: '[secret KEY]' },
    })
    expect(JSON.stringify(transitions)).not.toContain(secret)
    expect(runtime.getSnapshot().calls[0]).toMatchObject({ pausedMs: 600, meta: { key: '[secret KEY]' } })
  })

  test('shares no object with the tool', async () => {
    const { runtime, transitions } = setUp()
    const params = { list: [1], nested: { a: 1 } }
    runtime.register(
      defineTool({
        name: 'mutate',
        description: 'Change its own parameters.',
        parameters: { type: 'object' },
        execute(params: unknown, { meta }) {
          const own = params as { list: number[]; nested: Record<string, unknown> }
          own.list.push(2)
          own.nested.self = own
          ;(meta as { list: number[] }).list.push(2)
        },
      }),
    )
    await runtime.execute([{ id: 'a', name: 'mutate', params, meta: { list: [1] } }])
    for (const { call } of transitions.slice(0, 3))
      expect(call).toMatchObject({ args: params, meta: { list: [1] } })
    expect(transitions.at(-1)!.call.args).toEqual({ list: [1], nested: { a: 1 } })
    const args = transitions[0]!.call.args as { list: number[] }
    args.list.push(3)
    expect(params.list).toEqual([1])
  })

  test('an observer that is added while the tool changes its parameters gets no live object', async () => {
    const clock = createFakeClock()
    let seen: unknown
    const runtime = createRuntime({ clock, approval: 'allow', log: () => {} })
    runtime.register(
      scriptedTool({
        clock,
        name: 'mutate',
        script: (params) => [{ run: () => Object.assign(params, { self: params }) }, { wait: 10 }],
      }),
    )
    const running = runtime.execute([{ id: 'a', name: 'mutate', params: { a: 1 } }])
    await clock.settle()
    runtime.onTransition(({ call }) => {
      seen = call.args
    })
    await clock.runUntil(running)
    expect(seen).toBe(null)
  })

  test('names the files of long output and of a long result', async () => {
    const runtime = createRuntime({ approval: 'allow', log: () => {}, maxContentLength: 1_000 })
    const recorder = recordTransitions(runtime)
    runtime.register(
      defineTool({
        name: 'long',
        description: 'Return much.',
        execute(_params, { output }) {
          output('o'.repeat(20_000))
          return 'r'.repeat(5_000)
        },
      }),
    )
    const [result] = await runtime.execute([{ id: 'a', name: 'long' }])
    const { call } = recorder.transitions.at(-1)!
    expect(readFileSync(call.resultPath!, 'utf8')).toBe('r'.repeat(5_000))
    expect(readFileSync(call.outputPath!, 'utf8')).toBe('o'.repeat(20_000))
    expect(result!.spillPath).toBe(call.resultPath)
    expect(result!.content).toContain(result!.spillPath)
    await runtime.close()
  })

  test('counts retries with another key', async () => {
    const { clock, runtime, transitions } = setUp({
      ask: () => ({ secret: 'new-value-2' }),
      vault: {
        canStore: true,
        read: async () => ({ kind: 'found', value: 'some-value-1' }),
        store: async () => {},
      } as never,
    })
    let attempts = 0
    runtime.register(
      scriptedTool({
        clock,
        name: 'fetch',
        readOnly: true,
        secrets: ['KEY'],
        script: () => [
          { run: ({ secret }) => secret('KEY') },
          ++attempts === 1
            ? { throw: Object.assign(new Error('401 Unauthorized'), { status: 401 }) }
            : { return: 'done' },
        ],
      }),
    )
    await clock.runUntil(runtime.execute([{ id: 'a', name: 'fetch' }]))
    expect(transitions.at(-1)).toMatchObject({ to: 'success', call: { heals: 1 } })
  })
})

test('the late end of an abandoned tool is reported, with how it ended', async () => {
  const { clock, runtime } = setUp()
  const ends: Parameters<Parameters<typeof runtime.onLateEnd>[0]>[0][] = []
  const unsubscribe = runtime.onLateEnd((end) => ends.push(end))
  const stubborn = { clock, timeout: 10, ignoresSignal: true, concurrent: true } as const
  runtime.register(
    scriptedTool({ ...stubborn, name: 'returns', script: [{ wait: 5_000 }] }),
    scriptedTool({ ...stubborn, name: 'throws', script: [{ wait: 6_000 }, { throw: new Error('late') }] }),
  )
  await clock.runUntil(
    runtime.execute([
      { id: 'r', name: 'returns' },
      { id: 't', name: 'throws' },
    ]),
  )
  expect(ends).toEqual([])
  await clock.advance(10_000)
  expect(ends).toEqual([
    { uid: 1, id: 'r', name: 'returns', outcome: 'returned', at: 5_000, wallTime: 5_000 },
    { uid: 2, id: 't', name: 'throws', outcome: 'threw', at: 6_000, wallTime: 6_000 },
  ])
  unsubscribe()
})

test('recordTransitions returns the details of a call by its id', async () => {
  const { clock, runtime } = setUp()
  const recorder = recordTransitions(runtime)
  runtime.register(scriptedTool({ clock, name: 'quick', script: [{ return: 1 }] }))
  await clock.runUntil(runtime.execute([{ id: 'a', name: 'quick', params: { a: 1 } }]))
  expect(recorder.details('a')).toMatchObject({ args: { a: 1 }, adapter: 'function' })
  expect(recorder.details('b')).toBe(undefined)
})
