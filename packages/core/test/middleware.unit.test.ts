import { AsyncLocalStorage } from 'node:async_hooks'
import {
  createRuntime,
  defineTool,
  type Middleware,
  type RuntimeOptions,
  type ToolContext,
} from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { expect, test } from 'vitest'

function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, approval: 'allow', log: () => {}, ...options })
  runtime.register(
    scriptedTool({ clock, name: 'work', timeout: 1_000, script: [{ wait: 100 }, { return: 'done' }] }),
  )
  const run = async (...middleware: Middleware[]) => {
    const removals = middleware.map((next) => runtime.use(next))
    const [result] = await clock.runUntil(
      runtime.execute([{ id: 'a', name: 'work', params: { x: 1 }, meta: { trace: 't1' } }]),
    )
    for (const remove of removals) remove()
    return result
  }
  return { clock, runtime, run }
}

test('a span opened by middleware is the parent of spans inside the tool', async () => {
  const { clock, runtime } = setUp()
  const spans = new AsyncLocalStorage<string>()
  const seen: (string | undefined)[] = []
  runtime.register(
    defineTool({
      name: 'traced',
      description: 'Read the current span.',
      async execute() {
        seen.push(spans.getStore())
        await undefined
        seen.push(spans.getStore())
      },
    }),
  )
  runtime.use((call, next) => spans.run(`execute_tool ${call.name}`, next))
  await clock.runUntil(runtime.execute([{ id: 'a', name: 'traced' }]))
  expect(seen).toEqual(['execute_tool traced', 'execute_tool traced'])
})

test('a queued call runs in the context of its own caller', async () => {
  const context = new AsyncLocalStorage<string>()
  const seen: string[] = []
  const note = (what: string, id: string) => seen.push(`${what} ${id} in ${context.getStore()}`)
  const { clock, runtime } = setUp({
    concurrency: 1,
    approval: { default: 'allow', rules: { ask: ['asks'] } },
    ask: ({ callId }) => {
      note('ask', callId)
      return 'once'
    },
  })
  runtime.use((call, next) => {
    note('middleware', call.id)
    return next()
  })
  const execute = async (_params: unknown, { callId }: ToolContext) => {
    note('tool', callId)
    await new Promise<void>((resolve) => clock.setTimer(10, resolve))
  }
  const preview = () => {
    note('preview', '')
    return 'shown'
  }
  runtime.register(
    defineTool({ name: 'runs', description: 'Run for a while.', execute }),
    defineTool({ name: 'asks', description: 'Run after an answer.', preview, execute }),
  )
  const turn = runtime.conversation().turn()
  await clock.runUntil(
    Promise.all([
      context.run('a', () => runtime.execute([{ id: '1', name: 'runs' }])),
      context.run('b', () =>
        runtime.execute([
          { id: '2', name: 'runs' },
          { id: '3', name: 'asks' },
        ]),
      ),
      context.run('c', () => turn.run({ id: '4', name: 'runs' })),
    ]),
  )
  expect(seen.toSorted()).toEqual([
    'ask 3 in b',
    'middleware 1 in a',
    'middleware 2 in b',
    'middleware 3 in b',
    'middleware 4 in c',
    'preview  in b',
    'tool 1 in a',
    'tool 2 in b',
    'tool 3 in b',
    'tool 4 in c',
  ])
})

test('the span of a call is the parent of the spans of calls inside it', async () => {
  const { clock, runtime } = setUp()
  const spans = new AsyncLocalStorage<string>()
  const seen: string[] = []
  runtime.register(
    defineTool({
      name: 'outer',
      description: 'Run another tool.',
      execute: (_params, context) => context.execute([{ id: 'b', name: 'work' }]),
    }),
  )
  runtime.use((call, next) => {
    const span = `${spans.getStore() ?? ''}/${call.name}`
    seen.push(span)
    return spans.run(span, next)
  })
  await clock.runUntil(runtime.execute([{ id: 'a', name: 'outer' }]))
  expect(seen).toEqual(['/outer', '/outer/work'])
})

test('wraps a call, the first outermost, and sees what it is about', async () => {
  const { run } = setUp()
  const events: unknown[] = []
  const layer =
    (name: string): Middleware =>
    async (call, next) => {
      events.push([name, call.id, call.params, call.meta, call.attempt, call.conversation])
      const value = await next()
      events.push([name, value])
      return `${name}(${value})`
    }
  expect(await run(layer('outer'), layer('inner'))).toMatchObject({ value: 'outer(inner(done))' })
  expect(events).toEqual([
    ['outer', 'a', { x: 1 }, { trace: 't1' }, 1, 'default'],
    ['inner', 'a', { x: 1 }, { trace: 't1' }, 1, 'default'],
    ['inner', 'done'],
    ['outer', 'inner(done)'],
  ])
  expect(await run()).toMatchObject({ value: 'done' })
})

test('a second next() rejects', async () => {
  const { run } = setUp()
  const result = await run(async (_call, next) => {
    await next()
    return await next()
  })
  expect(result).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringContaining('next() twice') })
})

test('may run the call elsewhere, and its error is the error of the call', async () => {
  const { run } = setUp()
  expect(await run(() => 'remote')).toMatchObject({ status: 'success', value: 'remote' })
  const failing: Middleware = () => {
    throw new Error('no worker')
  }
  expect(await run(failing)).toMatchObject({ code: 'TOOL_FAILED', message: 'no worker' })
})

test('runs inside the deadline, and after the gate', async () => {
  const { run, runtime, clock } = setUp()
  let aborted = false
  const hangs: Middleware = ({ signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        aborted = true
        reject(signal.reason)
      })
    })
  expect(await run(hangs)).toMatchObject({ code: 'TOOL_TIMEOUT', timeoutMs: 1_000 })
  expect(aborted).toBe(true)
  let ran = 0
  runtime.use((_call, next) => {
    ran++
    return next()
  })
  const conversation = runtime.conversation({ approval: 'deny' })
  expect(await conversation.execute([{ id: 'a', name: 'work' }])).toMatchObject([{ code: 'DENIED' }])
  expect(ran).toBe(0)
  expect(clock.pending).toBe(0)
})

test('next() after the deadline does not start the tool', async () => {
  const { clock, runtime } = setUp()
  let started = 0
  runtime.register(
    defineTool({ name: 'late', description: 'Start late.', timeout: 100, execute: () => void started++ }),
  )
  let outcome: unknown
  runtime.use(async (_call, next) => {
    await new Promise<void>((resolve) => void clock.setTimer(5_000, resolve))
    outcome = await next().catch((error: unknown) => error)
  })
  await clock.runUntil(runtime.execute([{ id: 'a', name: 'late' }]))
  await clock.advance(10_000)
  expect(started).toBe(0)
  expect(outcome).toMatchObject({ code: 'TOOL_TIMEOUT' })
})

test('next() after the end of the call does not start the tool, and its rejection needs no handler', async () => {
  const { clock, runtime } = setUp()
  const rejections: unknown[] = []
  const onRejection = (error: unknown) => void rejections.push(error)
  process.on('unhandledRejection', onRejection)
  let started = 0
  const execute = () => {
    started++
    throw new Error('failed')
  }
  runtime.register(defineTool({ name: 'fail', description: 'Fail.', execute }))
  const remove = runtime.use(async (_call, next) => {
    clock.setTimer(100, () => void next())
    return 'early'
  })
  const call = { id: 'a', name: 'fail' }
  expect(await clock.runUntil(runtime.execute([call]))).toMatchObject([{ value: 'early' }])
  await clock.advance(1_000)
  expect(started).toBe(0)
  remove()
  runtime.use(async (_call, next) => {
    void next()
    return 'early'
  })
  expect(await clock.runUntil(runtime.execute([call]))).toMatchObject([{ value: 'early' }])
  await clock.advance(1_000)
  process.off('unhandledRejection', onRejection)
  expect(started).toBe(1)
  expect(rejections).toEqual([])
})

test('rejects anything but a function', () => {
  const { runtime } = setUp()
  expect(() => runtime.use({} as never)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
})
