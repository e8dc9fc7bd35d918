import {
  createRuntime,
  defineTool,
  executeToolCall,
  type Runtime,
  type RuntimeOptions,
  type ToolContext,
} from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

let runtime: Runtime
afterEach(() => runtime?.close())

function open(options: RuntimeOptions = {}): void {
  runtime = createRuntime({
    approval: 'allow',
    toolCallTimeout: 2_000,
    grace: 100,
    log: () => {},
    ...options,
  })
}

async function call(execute: (params: unknown, context: ToolContext) => unknown, params?: unknown) {
  runtime.register(
    defineTool({ name: 'odd', description: 'Be odd.', parameters: { type: 'object' }, execute }),
  )
  const [result] = await runtime.execute([{ id: 'c1', name: 'odd', params }], { turn: 't' })
  return result!
}

const throwing = (): never => {
  throw new Error('unreadable')
}

describe('values that throw when they are read', () => {
  test.each<[string, unknown]>([
    ['a getter', Object.defineProperty({}, 'x', { enumerable: true, get: throwing })],
    ['toJSON', { toJSON: throwing }],
    ['a proxy', new Proxy({}, { get: throwing, ownKeys: throwing, getPrototypeOf: throwing })],
    ['a null prototype', Object.assign(Object.create(null), { n: 1n })],
    ['a symbol', Symbol('odd')],
    ['a function', () => 1],
  ])('as a result: %s', async (_name, value) => {
    open()
    const result = await call(() => value)
    expect(['success', 'INVALID_RESULT', 'TOOL_FAILED']).toContain(
      'code' in result ? result.code : result.status,
    )
  })

  test.each<[string, unknown]>([
    ['an error with a broken message', Object.defineProperty(new Error('x'), 'message', { get: throwing })],
    ['an error whose message is not a string', Object.assign(new Error('x'), { message: { a: 1 } })],
    ['an object without a prototype', Object.create(null)],
    ['a proxy', new Proxy({}, { get: throwing, getPrototypeOf: throwing })],
    ['a symbol', Symbol('odd')],
    ['a function', throwing],
  ])('thrown: %s', async (_name, thrown) => {
    open()
    const result = await call(() => {
      throw thrown
    })
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_FAILED' })
    expect(typeof result.content).toBe('string')
  })

  test.each<[string, unknown]>([
    ['a getter', Object.defineProperty({}, 'x', { enumerable: true, get: throwing })],
    ['a proxy', new Proxy({}, { get: throwing, ownKeys: throwing, getPrototypeOf: throwing })],
    ['toJSON', { toJSON: throwing }],
  ])('as params: %s', async (_name, params) => {
    open()
    runtime.subscribe(() => {})
    const result = await call(() => 'ran', params)
    expect(result.status === 'error' ? result.code : result.status).toMatch(/INVALID_PARAMS|success/)
    expect(runtime.getSnapshot().calls.length).toBe(1)
  })

  test('a log function that throws is reported once', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    open({ log: throwing, heartbeat: 20, toolCallTimeout: 100 })
    const result = await call(() => new Promise(() => {}))
    expect(stderr.mock.calls).toMatchObject([[expect.stringContaining('the log function failed')]])
    stderr.mockRestore()
    expect(result).toMatchObject({ code: 'TOOL_TIMEOUT', abandoned: true })
  })
})

describe('re-entrancy', () => {
  test.each(['validating', 'awaiting_approval', 'scheduled', 'executing', 'success'] as const)(
    'an observer may cancel all calls at %s',
    async (status) => {
      const clock = createFakeClock()
      open({ clock, approval: 'ask', ask: () => 'once' })
      runtime.onTransition(({ to }) => {
        if (to === status) runtime.cancelAll()
      })
      runtime.register(scriptedTool({ clock, name: 'work', script: [{ wait: 50 }] }))
      const calls = ['a', 'b', 'c'].map((id) => ({ id, name: 'work' }))
      const results = await clock.runUntil(runtime.execute(calls))
      expect(results.length).toBe(3)
      expect(results.every(({ status }) => status === 'cancelled' || status === 'success')).toBe(true)
      expect(results.every(({ durationMs }) => durationMs <= 50)).toBe(true)
      await clock.advance(1_000)
      expect(clock.pending).toBe(0)
    },
  )

  test('a tool, a listener and a question handler may cancel, execute and close', async () => {
    const clock = createFakeClock()
    open({ clock, approval: { default: 'allow', rules: { ask: ['asked'] } } })
    runtime.onQuestion(() => {
      runtime.cancelAll()
      return 'once'
    })
    let again = 3
    runtime.subscribe(() => {
      if (again-- > 0) void runtime.execute([{ id: 'x', name: 'unknown' }])
    })
    runtime.register(
      scriptedTool({ clock, name: 'cancels', script: [{ run: () => runtime.cancelAll() }, { hang: true }] }),
      scriptedTool({ clock, name: 'asked', script: [{ wait: 10 }] }),
      scriptedTool({ clock, name: 'closes', script: [{ run: () => void runtime.close() }, { hang: true }] }),
    )
    for (const name of ['cancels', 'asked', 'closes']) {
      const [result] = await clock.runUntil(runtime.execute([{ id: 'c', name }]))
      expect(result).toMatchObject({ status: 'cancelled' })
    }
    await clock.advance(1_000_000)
    expect(clock.pending).toBe(0)
  })

  test('a call that was stopped can neither ask nor run other tools', async () => {
    const clock = createFakeClock()
    open({ clock })
    runtime.onQuestion(() => new Promise(() => {}))
    const rejections: unknown[] = []
    let context: ToolContext | undefined
    const tryAll = async (): Promise<void> => {
      const attempts = [context!.ask({ message: 'x' }), context!.execute([{ id: 'i', name: 'work' }])]
      for (const attempt of attempts) rejections.push(await attempt.catch((error: unknown) => error))
    }
    runtime.register(
      scriptedTool({
        clock,
        name: 'work',
        timeout: 100,
        script: [
          {
            run: (toolContext) => {
              context = toolContext
              toolContext.signal.addEventListener('abort', () => void tryAll())
            },
          },
          { hang: true },
        ],
      }),
    )
    await clock.runUntil(runtime.execute([{ id: 'c', name: 'work' }]))
    await clock.settle()
    await tryAll()
    expect(rejections).toMatchObject(Array(4).fill({ code: 'CANCELLED' }))
    expect(clock.pending).toBe(0)
  })

  test('nested batches are validated too', async () => {
    open()
    const result = await call((_params, { execute }) =>
      execute([{ id: 'c1', name: 'odd' }, { id: 'c2', name: 'odd', arguments: {} } as never]),
    )
    expect(result).toMatchObject({ code: 'INVALID_OPTION' })
  })
})

test('calls whose keys form a cycle end, and so do later calls', async () => {
  const clock = createFakeClock()
  open({ clock, toolCallTimeout: 180_000 })
  const keyed = (name: string, keys: string[], wait = 1_000): void =>
    void runtime.register(scriptedTool({ clock, name, resources: () => keys, script: [{ wait }] }))
  keyed('x', ['b'])
  keyed('w', ['a', 'b'])
  keyed('b', ['b'])
  runtime.register(
    scriptedTool({
      clock,
      name: 'p',
      timeout: 10_000,
      resources: () => ['a'],
      script: [
        {
          run: ({ execute }) =>
            Promise.all([execute([{ id: 'n1', name: 'w' }]), execute([{ id: 'n2', name: 'w' }])]),
        },
      ],
    }),
  )
  const all = ['x', 'p', 'b'].map((name) => runtime.execute([{ id: name, name }]))
  const results = (await clock.runUntil(Promise.all(all))).flat()
  expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'success'])
  const [later] = await clock.runUntil(runtime.execute([{ id: 'later', name: 'b' }]))
  expect(later).toMatchObject({ status: 'success' })
})

test.each<[string, unknown]>([
  ['nested 20,000 deep', { deep: JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)) }],
  ['with a function', { onDone() {} }],
  ['with a BigInt', { n: 1n }],
  ['with __proto__', JSON.parse('{"__proto__": {"admin": true}}')],
])('a call with params %s that needs approval ends, and so do the others', async (_name, params) => {
  open({ approval: 'ask', ask: () => 'once' })
  runtime.register(
    defineTool({
      name: 'odd',
      description: 'Be odd.',
      parameters: { type: 'object' },
      execute: (params) => typeof params,
    }),
  )
  const calls = [
    { id: 'a', name: 'odd', params },
    { id: 'b', name: 'odd' },
  ]
  const results = await runtime.execute(calls, { turn: 't' })
  expect(results[0]!.status === 'success' || results[0]!.code === 'INVALID_PARAMS').toBe(true)
  expect(results[1]).toMatchObject({ status: 'success' })
  expect(({} as { admin?: boolean }).admin).toBeUndefined()
})

test('a transform with unserializable output fails only its own call', async () => {
  const cyclic = z.object({}).transform(() => {
    const value: Record<string, unknown> = {}
    value.self = value
    return value
  })
  open({ approval: 'ask', ask: () => 'once' })
  const schema = {
    '~standard': { ...cyclic['~standard'], jsonSchema: { input: () => ({ type: 'object' }) } },
  } as never
  runtime.register(defineTool({ name: 'odd', description: 'Be odd.', parameters: schema, execute: () => 1 }))
  const results = await runtime.execute([{ id: 'a', name: 'odd' }])
  expect(results[0]).toMatchObject({ status: 'error' })
})

test('a call that changes while its question is open runs as requested, and a symbol is not a tool name', async () => {
  const call = { id: 'a', name: 'odd', params: {}, timeout: 1_000 }
  open({
    approval: 'ask',
    ask: () => {
      Object.assign(call, { timeout: 'oops', name: 'other', id: 'b' })
      return 'once'
    },
  })
  runtime.register(defineTool({ name: 'odd', description: 'Be odd.', execute: () => 1 }))
  expect(await runtime.execute([call])).toMatchObject([
    { id: 'a', name: 'odd', status: 'success', timeoutMs: 1_000 },
  ])
  const [result] = await runtime.execute([{ id: 'a', name: Symbol('x') as never }], { turn: 't' })
  expect(result).toMatchObject({ code: 'TOOL_NOT_FOUND' })
})

test('a signal whose reason cannot be read still cancels', async () => {
  const reason = Object.defineProperty(new Error('x'), 'message', { get: throwing })
  open()
  runtime.register(defineTool({ name: 'hang', description: 'Hang.', execute: () => new Promise(() => {}) }))
  const controller = new AbortController()
  const running = runtime.execute([{ id: 'a', name: 'hang' }], { signal: controller.signal })
  setTimeout(() => controller.abort(reason), 20)
  expect((await running)[0]).toMatchObject({ status: 'cancelled' })
  expect(
    (await runtime.execute([{ id: 'a', name: 'hang' }], { signal: AbortSignal.abort(reason) }))[0],
  ).toMatchObject({
    status: 'cancelled',
  })
})

test('rejects an asynchronous JSON Schema', () => {
  const parameters = { $async: true, type: 'object', properties: { n: { type: 'number' } } }
  expect(() => defineTool({ name: 'x', description: 'X.', parameters, execute: () => 1 })).toThrow(/\$async/)
})

describe('asynchronous schemas', () => {
  const never = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: () => new Promise(() => {}),
      jsonSchema: { input: () => ({ type: 'object' }) },
    },
  } as never

  test('run concurrently within the limits of their calls, and leave no timer', async () => {
    const clock = createFakeClock()
    open({ clock, maxToolCallTimeout: 200 })
    const slow = defineTool({ name: 'slow', description: 'Slow.', parameters: never, execute: () => 1 })
    runtime.register(slow)
    const calls = [100, 5_000, 150].map((timeout, index) => ({ id: `${index}`, name: 'slow', timeout }))
    const results = await clock.runUntil(runtime.execute(calls))
    expect(results).toMatchObject(Array(3).fill({ code: 'TOOL_TIMEOUT' }))
    expect(clock.now()).toBe(200)
    const cancelled = runtime.execute(calls)
    await clock.advance(10)
    runtime.cancelAll()
    expect(await clock.runUntil(cancelled)).toMatchObject(Array(3).fill({ status: 'cancelled' }))
    await clock.settle()
    expect(clock.pending).toBe(0)
  })

  test('end at the limit without a runtime too', async () => {
    const clock = createFakeClock()
    const slow = defineTool({ name: 'slow', description: 'Slow.', parameters: never, execute: () => 1 })
    const timed = executeToolCall(slow, {}, { timeout: 50, clock }).catch((error: unknown) => error)
    expect(await clock.runUntil(timed)).toMatchObject({ code: 'TOOL_TIMEOUT', limitMs: 50 })
    const controller = new AbortController()
    const aborted = executeToolCall(slow, {}, { signal: controller.signal, clock }).catch(
      (error: unknown) => error,
    )
    await clock.settle()
    controller.abort()
    expect(await clock.runUntil(aborted)).toMatchObject({ code: 'CANCELLED' })
    expect(clock.pending).toBe(0)
  })
})

test('rejections of callbacks are reported and do not break the call', async () => {
  const messages: string[] = []
  const rejectLater = () => Promise.reject(new Error('later'))
  open({ log: ({ message }) => messages.push(message) })
  runtime.subscribe(rejectLater)
  runtime.onTransition(rejectLater)
  expect(await call(() => 'fine')).toMatchObject({ status: 'success' })
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(messages).toContain('a listener of the call store failed')
  expect(messages).toContain('an observer of transitions failed')
})

test('a small value that would be serialized to an enormous string does not delay other calls', async () => {
  open()
  let value: unknown = { n: 1 }
  for (let level = 0; level < 40; level++) value = { a: value, b: value }
  const start = performance.now()
  expect(await call(() => value)).toMatchObject({
    code: 'INVALID_RESULT',
    message: expect.stringContaining('too large'),
  })
  expect(performance.now() - start).toBeLessThan(20_000)
})

test('closing the runtime from an observer cancels the call before it runs', async () => {
  let ran = false
  open()
  runtime.onTransition(({ to }) => {
    if (to === 'validating') void runtime.close()
  })
  const result = await call(() => {
    ran = true
  })
  expect(result).toMatchObject({ status: 'cancelled' })
  expect(ran).toBe(false)
})

test('the content never exceeds its limit', async () => {
  open({ maxContentLength: 100 })
  const long = 'x'.repeat(5_000)
  runtime.register(
    defineTool({ name: 'throws', description: 'Throw.', execute: () => Promise.reject(new Error(long)) }),
    defineTool({ name: 'emits', description: 'Emit.', execute: (_params, { output }) => output(long) }),
    defineTool({
      name: 'both',
      description: 'Emit and throw.',
      execute: (_params, { output }) => {
        output(long)
        throw new Error('no')
      },
    }),
  )
  const names = ['throws', 'emits', 'both']
  const results = await runtime.execute(names.map((name) => ({ id: name, name })))
  for (const { content } of results) expect(content.length).toBeLessThanOrEqual(100)
})

test('runs the approved params even if the caller changes its object meanwhile', async () => {
  const params = { path: 'harmless' }
  open({
    approval: 'ask',
    ask: () => {
      params.path = 'harmful'
      return 'once'
    },
  })
  const result = await call((received) => received, params)
  expect(result).toMatchObject({ status: 'success', value: { path: 'harmless' } })
})

test('runs the allowed params even if an earlier call changes the object meanwhile', async () => {
  const params = { path: 'src/a' }
  const parameters = { type: 'object', properties: { path: { type: 'string' } } } as const
  open({ approval: { rules: { allow: ['first', 'write(src/*)'] } } })
  runtime.register(
    defineTool({
      name: 'first',
      description: 'Change it.',
      execute: () => {
        params.path = '/etc/passwd'
      },
    }),
    defineTool({ name: 'write', description: 'Write.', parameters, execute: ({ path }) => path }),
  )
  const results = await runtime.execute([
    { id: '1', name: 'first' },
    { id: '2', name: 'write', params },
  ])
  expect(results[1]).toMatchObject({ value: 'src/a' })
})

test('a question handler cannot change the params', async () => {
  open({
    approval: 'ask',
    ask: (question) => {
      ;(question.params as { path: string }).path = 'other'
      return 'once'
    },
  })
  expect(await call((received) => received, { path: 'mine' })).toMatchObject({ value: { path: 'mine' } })
})
