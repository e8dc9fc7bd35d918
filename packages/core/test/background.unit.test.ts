import { getEventListeners } from 'node:events'
import {
  type CallResult,
  CredentialRequiredError,
  createRuntime,
  defineTool,
  type RuntimeOptions,
  type ToolContext,
  type Vault,
} from '@curfew/core'
import { defineToolFrom } from '@curfew/core/internal'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { codes } from './support/approval-setup.ts'

function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, approval: 'allow', log: () => {}, ...options })
  runtime.register(
    scriptedTool({
      clock,
      name: 'serve',
      timeout: 5_000,
      script: [
        { output: 'listening\n' },
        { run: (context) => context.detach('The server listens on port 1.') },
        { wait: 60_000 },
        { output: 'bye\n' },
        { return: 'served' },
      ],
    }),
    scriptedTool({ clock, name: 'work', timeout: 5_000, script: [{ wait: 1_000 }, { return: 'done' }] }),
    scriptedTool({ clock, name: 'hang', script: [{ hang: true }] }),
  )
  const row = (uid: number | undefined) => runtime.getSnapshot().calls.find((other) => other.uid === uid)
  return { clock, runtime, row }
}

test('detaching settles the call once and continues in a row of its own', async () => {
  const { clock, runtime, row } = setUp()
  // Both are barriers: the second starts only because the first has released its place.
  const [served, worked] = await clock.runUntil(
    runtime.execute([
      { id: '1', name: 'serve' },
      { id: '2', name: 'work' },
    ]),
  )
  expect(served).toMatchObject({
    status: 'success',
    detached: true,
    content: 'The server listens on port 1.',
    output: 'listening\n',
  })
  expect(worked).toMatchObject({ status: 'success', value: 'done' })
  const { task } = served as { task: number }
  expect(row(task)).toMatchObject({ status: 'executing', timeoutMs: 8 * 3_600_000, name: 'serve' })
  await clock.advance(60_000)
  expect(row(task)).toMatchObject({ status: 'success', outputTail: 'listening\nbye\n', preview: 'served' })
  expect(clock.pending).toBe(0)
})

test('a person detaches a running call', async () => {
  const { clock, runtime, row } = setUp()
  const running = runtime.execute([{ id: '1', name: 'work', timeout: 1_500 }])
  await clock.advance(600)
  const [{ uid } = { uid: 0 }] = runtime.getSnapshot().calls
  const task = runtime.detach(uid)
  expect(await clock.runUntil(running)).toMatchObject([{ detached: true, task, durationMs: 600 }])
  expect(runtime.detach(uid)).toBeNull()
  expect(runtime.detach(task!)).toBeNull()
  expect(runtime.detach(999)).toBeNull()
  await clock.advance(400)
  expect(row(task!)).toMatchObject({ status: 'success', elapsedMs: 400 })
})

test('a background task has its own limit, and can be cancelled', async () => {
  const { clock, runtime, row } = setUp({ timeouts: { background: '1h' } })
  const turn = runtime.conversation().turn()
  const detach = async (): Promise<number> => {
    const running = turn.execute([{ id: '1', name: 'hang' }])
    await clock.advance(10)
    const { uid } = runtime.getSnapshot().calls.at(-1)!
    const task = runtime.detach(uid)!
    await clock.runUntil(running)
    return task
  }
  const tasks = [await detach(), await detach()]
  runtime.cancel({ uid: tasks[0]! })
  await clock.advance(300)
  expect(row(tasks[0])).toMatchObject({ status: 'cancelled' })
  // ESC does not end background tasks.
  turn.cancel()
  await clock.advance(3_599_000)
  expect(row(tasks[1])).toMatchObject({ status: 'executing', timeoutSource: 'timeouts' })
  await clock.advance(2_000)
  expect(row(tasks[1])).toMatchObject({
    status: 'error',
    code: 'TOOL_TIMEOUT',
    message: expect.stringContaining('its limit is 1 h (timeouts.background in the configuration)'),
  })
  expect(runtime.getSnapshot().breakers.failures).toEqual({})
})

test('maxToolCallTimeout limits background tasks, too', async () => {
  const { clock, runtime, row } = setUp({ maxToolCallTimeout: '1m' })
  const [result] = await clock.runUntil(runtime.execute([{ id: '1', name: 'serve' }]))
  const { task } = result as { task: number }
  expect(row(task)).toMatchObject({ timeoutMs: 60_000, timeoutSource: 'maxToolCallTimeout' })
  await clock.runUntil(runtime.close())
})

test('a background task that is retried with another key keeps its limit', async () => {
  const keys = ['wrong-value', 'right-value']
  const { clock, runtime, row } = setUp({
    ask: () => ({ secret: 'right-value' }),
    timeouts: { background: '1h' },
    vault: {
      canStore: true,
      read: async () => ({ kind: 'found', value: keys[0] }),
      store: async () => void keys.shift(),
    } as never,
  })
  runtime.register(
    defineTool({
      name: 'watch',
      description: 'Watch something.',
      readOnly: true,
      timeout: '1m',
      secrets: ['KEY'],
      async execute(_params, { detach, secret, signal }) {
        await detach()
        const key = await secret('KEY')
        if (key === 'wrong-value') throw Object.assign(new Error('401 Unauthorized'), { status: 401 })
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
    }),
  )
  const [result] = await clock.runUntil(runtime.execute([{ id: '1', name: 'watch' }]))
  const { task } = result as { task: number }
  await clock.advance(3_590_000)
  expect(row(task)).toMatchObject({ status: 'executing', heals: 1, timeoutMs: 3_600_000 })
  await clock.advance(20_000)
  expect(row(task)).toMatchObject({ message: expect.stringContaining('timeouts.background') })
})

test('background tasks end with their conversation', async () => {
  const { clock, runtime, row } = setUp()
  const conversation = runtime.conversation()
  const [result] = await clock.runUntil(conversation.execute([{ id: '1', name: 'serve' }]))
  const { task } = result as { task: number }
  expect(row(task)).toMatchObject({ status: 'executing' })
  await clock.runUntil(conversation.close())
  expect(row(task)).toMatchObject({ status: 'cancelled' })
  expect(clock.pending).toBe(0)
})

test('calls inside a call that is detached continue, and questions stay open', async () => {
  const { clock, runtime, row } = setUp({
    approval: { default: 'allow', rules: { ask: ['work'] } },
    ask: () => 'later',
  })
  runtime.register(
    defineTool({
      name: 'outer',
      description: 'Run another call.',
      timeout: 2_000,
      execute: async (_params, { execute }) => codes(await execute([{ id: 'inner', name: 'work' }])),
    }),
  )
  const running = runtime.execute([{ id: '1', name: 'outer' }])
  await clock.advance(500)
  const task = runtime.detach(runtime.getSnapshot().calls[0]!.uid)!
  expect(codes(await clock.runUntil(running))).toEqual(['success'])
  await clock.advance(60_000)
  runtime.answer(runtime.getSnapshot().questions[0]!.id, 'once')
  await clock.advance(1_000)
  expect(row(task)).toMatchObject({ status: 'success', preview: '["success"]' })
  expect(runtime.getSnapshot().calls.find(({ name }) => name === 'work')).toMatchObject({ parentUid: task })
  expect(clock.pending).toBe(0)
})

test('twenty detached calls take no slots', async () => {
  const { clock, runtime } = setUp({ concurrency: 2 })
  const calls = Array.from({ length: 20 }, (_, index) => ({ id: String(index), name: 'serve' }))
  const results = await clock.runUntil(runtime.execute(calls))
  expect(results.every((result) => 'detached' in result)).toBe(true)
  expect(clock.now()).toBeLessThan(1_000)
  await clock.runUntil(runtime.close())
  expect(clock.pending).toBe(0)
})

test('content that is not a string is rejected', async () => {
  const { runtime } = setUp()
  runtime.register(
    defineTool({
      name: 'odd',
      description: 'Detach oddly.',
      execute: async (_params, { detach }) => await detach(7 as never),
    }),
  )
  const [result] = await runtime.execute([{ id: '1', name: 'odd' }])
  expect(result).toMatchObject({ code: 'INVALID_OPTION' })
})

test('the content of a detached call contains no secrets and is bounded', async () => {
  const { clock, runtime } = setUp({ maxContentLength: 1_000 })
  runtime.hideSecret('TOKEN', 'a-secret-value')
  const content = `Started with a-secret-value${'.'.repeat(5_000)}`
  runtime.register(
    scriptedTool({ clock, name: 'start', script: [{ run: (context) => context.detach(content) }] }),
  )
  const [result] = await clock.runUntil(runtime.execute([{ id: '1', name: 'start' }]))
  expect(result!.content).toMatch(/^Started with (?!a-secret-value)/)
  expect(result!.content.length).toBeLessThan(1_200)
})

test('stopping a turn does not affect the calls inside its background tasks', async () => {
  const { clock, runtime } = setUp()
  const results: CallResult[] = []
  runtime.register(
    defineTool({
      name: 'agent',
      description: 'Run a subagent in the background.',
      parameters: { type: 'object' },
      async execute(_params, context) {
        const before = context.conversation().turn()
        await context.detach()
        const after = context.conversation().turn()
        const calls = [{ id: '1', name: 'work' }]
        results.push(...(await context.execute(calls)), ...(await context.execute(calls)))
        results.push(...(await before.execute(calls)), ...(await after.execute(calls)))
        expect([before.status().stopped, after.status().stopped]).toEqual([false, false])
        before.cancel()
        results.push(...(await before.execute(calls)))
      },
    }),
  )
  const turn = runtime.conversation().turn()
  await clock.runUntil(turn.execute([{ id: '1', name: 'agent' }]))
  await clock.advance(500)
  turn.cancel('ESC')
  await clock.advance(10_000)
  expect(codes(results)).toEqual(['success', 'success', 'success', 'success', 'CANCELLED'])
})

test('"stop everything" inside a background task stops the task and the turn', async () => {
  const ask: RuntimeOptions['ask'] = ({ tool }) => (tool === 'agent' ? 'once' : 'stop')
  const { clock, runtime, row } = setUp({ approval: 'ask', ask })
  const nested = [{ id: '1', name: 'work' }]
  const script = [
    { run: detach },
    { run: (context) => context.execute(nested) },
    { hang: true },
  ] as const satisfies Script
  runtime.register(scriptedTool({ clock, name: 'agent', script }))
  const turn = runtime.conversation().turn()
  const [result] = await clock.runUntil(turn.execute([{ id: '1', name: 'agent' }]))
  await clock.advance(1_000)
  expect(row((result as { task: number }).task)).toMatchObject({ status: 'cancelled' })
  expect(turn.status().stopped).toBe(true)
  expect(clock.pending).toBe(0)
})

test('a background task that gets another key keeps its own limit', async () => {
  const { clock, runtime, row } = setUp({
    ask: () => ({ secret: 'second-value' }),
    vault: vaultWith('KEY', 'first-value'),
  })
  runtime.register(
    defineTool({
      name: 'watch',
      description: 'Watch a service.',
      parameters: { type: 'object' },
      secrets: ['KEY'],
      timeout: 5_000,
      async execute(_params, context) {
        const key = await context.secret('KEY')
        await context.detach()
        if (key === 'first-value')
          throw new CredentialRequiredError('rejected', { key: 'KEY', reason: 'rejected', retrySafe: true })
        expect(context.deadline.timeoutMs).toBe(8 * 3_600_000)
        await new Promise((resolve) => clock.setTimer(20_000, () => resolve(null)))
      },
    }),
  )
  const [result] = await clock.runUntil(runtime.execute([{ id: '1', name: 'watch' }]))
  await clock.advance(20_000)
  expect(row((result as { task: number }).task)).toMatchObject({ status: 'success', heals: 1 })
})

test('the signal of a call still stops it after it got another key', async () => {
  const { clock, runtime, row } = setUp({
    ask: () => ({ secret: 'second-value' }),
    vault: vaultWith('KEY', 'first-value'),
  })
  runtime.register(
    defineTool({
      name: 'fetch',
      description: 'Call a service.',
      parameters: { type: 'object' },
      secrets: ['KEY'],
      async execute(_params, { secret, signal }) {
        if ((await secret('KEY')) === 'first-value')
          throw new CredentialRequiredError('rejected', { key: 'KEY', reason: 'rejected', retrySafe: true })
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    }),
  )
  const controllers = [new AbortController(), new AbortController()]
  const step = runtime.conversation().turn().step()
  const running = Promise.all([
    runtime.execute([{ id: '1', name: 'fetch', signal: controllers[0]!.signal }]),
    step.reserve({ id: '2', name: 'fetch' }).run({ signal: controllers[1]!.signal }),
  ])
  await clock.advance(1_000)
  expect([row(1), row(2)]).toMatchObject([{ heals: 1 }, { status: 'executing' }])
  for (const controller of controllers) controller.abort()
  expect(codes((await clock.runUntil(running)).flat())).toEqual(['CANCELLED', 'CANCELLED'])
  for (const { signal } of controllers) expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('background tasks count as levels of nesting', async () => {
  const { clock, runtime } = setUp({ limits: { depth: 2 } })
  const results: CallResult[] = []
  const recurse: Script = [
    { run: detach },
    { run: async (context) => void results.push(...(await context.execute([{ id: '1', name: 'recurse' }]))) },
  ]
  runtime.register(scriptedTool({ clock, name: 'recurse', script: recurse }))
  await clock.runUntil(runtime.execute([{ id: '1', name: 'recurse' }]))
  await clock.advance(100)
  expect(codes(results)).toEqual(['success', 'success', 'LIMIT_EXCEEDED'])
})

test('calls inside a detached call keep their keys', async () => {
  const { clock, runtime } = setUp()
  const events: string[] = []
  const resources = () => ['key']
  const script: Exclude<Script, readonly unknown[]> = ({ label }) => [
    { run: () => void events.push(`+${label}`) },
    { wait: 1_000 },
    { run: () => void events.push(`-${label}`) },
  ]
  const append = (label: string) => ({ id: label, name: 'append', params: { label } })
  runtime.register(
    scriptedTool({ clock, name: 'append', resources, script }),
    scriptedTool({
      clock,
      name: 'agent',
      resources,
      script: [
        { run: (context) => context.execute([append('inner')]) },
        { run: (context) => context.execute([append('last')]) },
      ],
    }),
  )
  const first = runtime.execute([{ id: '1', name: 'agent' }])
  await clock.advance(10)
  const queued = runtime.execute([append('queued')])
  await clock.advance(10)
  runtime.detach(1)
  await clock.runUntil(Promise.all([first, queued, runtime.execute([append('next')])]))
  await clock.advance(5_000)
  expect(events.slice(0, 2)).toEqual(['+inner', '-inner'])
  for (let at = 0; at < events.length; at += 2) expect(events[at + 1]).toBe(events[at]!.replace('+', '-'))
  expect(events).toHaveLength(8)
})

test('the uid that the tool knows refers to its background task', async () => {
  const { clock, runtime, row } = setUp()
  const results: CallResult[] = []
  const script: Script = [
    { run: detach },
    {
      run: async ({ uid }) => {
        const resume = runtime.pause(uid)
        await clock.advance(10)
        expect(row(uid + 1)).toMatchObject({ paused: true })
        resume()
        results.push(...(await runtime.execute([{ id: '2', name: 'work' }], { parent: uid })))
      },
    },
  ]
  runtime.register(scriptedTool({ clock, name: 'start', script }))
  await clock.runUntil(runtime.execute([{ id: '1', name: 'start' }]))
  await clock.advance(5_000)
  expect(codes(results)).toEqual(['success'])
  expect(row(3)).toMatchObject({ name: 'work', parentUid: 2 })
})

type Script = Parameters<typeof scriptedTool>[0]['script']

function detach(context: ToolContext): Promise<number> {
  return context.detach()
}

function vaultWith(key: string, value: string): Vault {
  const values = new Map([[key, value]])
  return {
    canStore: true,
    read: async (name) => ({ kind: 'found', value: values.get(name)! }),
    store: async (name, stored) => void values.set(name, stored),
    allow: async () => {},
  }
}

test('the maximum of subagents also applies in the background, and is named in the error', async () => {
  const { clock, runtime, row } = setUp()
  runtime.register(
    defineToolFrom(
      {
        name: 'agent',
        description: 'Be a subagent.',
        execute: (_params, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      },
      { adapter: 'subagent', maxTimeoutMs: 3_000 },
    ),
  )
  const [limited] = await clock.runUntil(runtime.execute([{ id: '1', name: 'agent', timeout: 20_000 }]))
  expect(limited).toMatchObject({
    timeoutMs: 3_000,
    timeoutSource: 'maxSubagentTimeout',
    message: expect.stringContaining('its limit is 3 s (MAX_SUBAGENT_TIMEOUT_MIN in the environment)'),
  })
  const running = runtime.execute([{ id: '2', name: 'agent' }])
  await clock.advance(1_000)
  const task = runtime.detach(runtime.getSnapshot().calls.at(-1)!.uid)!
  await clock.runUntil(running)
  expect(row(task)).toMatchObject({ timeoutMs: 3_000, timeoutSource: 'maxSubagentTimeout' })
  await clock.advance(3_500)
  expect(row(task)).toMatchObject({ status: 'error', code: 'TOOL_TIMEOUT' })
})
