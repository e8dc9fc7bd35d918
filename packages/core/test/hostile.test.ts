import { createRuntime, defineTool, type Runtime, type RuntimeOptions, type ToolContext } from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { afterEach, describe, expect, test, vi } from 'vitest'

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
  throw new Error('do not look')
}

describe('things that throw when they are looked at', () => {
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
    ['an error whose message is no text', Object.assign(new Error('x'), { message: { a: 1 } })],
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

  test('a log that throws', async () => {
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
    'an observer that cancels everything at %s',
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

  test('a tool, a listener and a question handler that cancel, execute and close', async () => {
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
    const refused: unknown[] = []
    let context: ToolContext | undefined
    const tryAll = async (): Promise<void> => {
      const attempts = [context!.ask({ message: 'x' }), context!.execute([{ id: 'i', name: 'work' }])]
      for (const attempt of attempts) refused.push(await attempt.catch((error: unknown) => error))
    }
    runtime.register(
      scriptedTool({
        clock,
        name: 'work',
        timeout: 100,
        script: [
          {
            run: (given) => {
              context = given
              given.signal.addEventListener('abort', () => void tryAll())
            },
          },
          { hang: true },
        ],
      }),
    )
    await clock.runUntil(runtime.execute([{ id: 'c', name: 'work' }]))
    await clock.settle()
    await tryAll()
    expect(refused).toMatchObject(Array(4).fill({ code: 'CANCELLED' }))
    expect(clock.pending).toBe(0)
  })

  test('nested batches are checked like others', async () => {
    open()
    const result = await call((_params, { execute }) =>
      execute([
        { id: 'same', name: 'odd' },
        { id: 'same', name: 'odd' },
      ]),
    )
    expect(result).toMatchObject({ code: 'DUPLICATE_CALL_ID' })
  })
})

test('what the person approved is what runs, even if the caller changes its object meanwhile', async () => {
  const params = { path: 'harmless' }
  open({
    approval: 'ask',
    ask: () => {
      params.path = 'harmful'
      return 'once'
    },
  })
  const result = await call((given) => given, params)
  expect(result).toMatchObject({ status: 'success', value: { path: 'harmless' } })
})

describe('threads', () => {
  const module = new URL('./fixtures/thread-tools.js', import.meta.url)
  const thread = (name: string, timeout = 1_500): void => {
    runtime.register(
      defineTool({
        name,
        description: 'Run.',
        timeout,
        isolation: 'thread',
        execute: { module, export: name },
      }),
    )
  }

  test('a cancel whose reason cannot cross into the thread', async () => {
    open()
    thread('polite', 10_000)
    const controller = new AbortController()
    const running = runtime.execute([{ id: 'c', name: 'polite' }], { signal: controller.signal })
    setTimeout(() => controller.abort({ with: () => 'a function' }), 300)
    expect((await running)[0]).toMatchObject({ status: 'cancelled' })
  })

  test('a thread that floods is held back and ends at its deadline', async () => {
    open()
    thread('flood')
    const before = process.memoryUsage().rss
    const [result] = await runtime.execute([{ id: 'c', name: 'flood' }])
    expect(result).toMatchObject({ code: 'TOOL_TIMEOUT' })
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 2 ** 20)
  })

  test('results that cannot cross, rejections that nobody catches', async () => {
    open()
    thread('unclonableInside', 5_000)
    thread('rejectsLater', 5_000)
    runtime.register(
      defineTool({
        name: 'gives_function',
        description: 'Give one.',
        readOnly: true,
        execute: () => ({ f() {} }),
      }),
    )
    const results = await runtime.execute([
      { id: '1', name: 'unclonableInside' },
      { id: '2', name: 'rejectsLater' },
    ])
    expect(results[0]).toMatchObject({ value: expect.stringContaining('could not be cloned') })
    expect(results[1]).toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining('nobody catches'),
    })
  })

  test('a module that does not exist', async () => {
    open()
    const missing = new URL('./fixtures/none.js', import.meta.url)
    runtime.register(
      defineTool({ name: 'x', description: 'X.', isolation: 'thread', execute: { module: missing } }),
    )
    const [result] = await runtime.execute([{ id: 'c', name: 'x' }])
    expect(result).toMatchObject({ code: 'TOOL_FAILED', message: expect.stringContaining('none.js') })
  })
})
