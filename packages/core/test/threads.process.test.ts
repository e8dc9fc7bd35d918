import { createRuntime, defineTool, type Runtime } from '@curfew/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

/** Uses real threads and real time. */
const limit = 150
const grace = 100
let runtime: Runtime

beforeEach(() => {
  runtime = createRuntime({ approval: 'allow', toolCallTimeout: 2_000, grace, log: () => {} })
})

afterEach(() => runtime.close())

describe('isolation: thread', () => {
  const module = new URL('./fixtures/thread-tools.js', import.meta.url)
  const thread = (name: string, timeout = 5_000) =>
    defineTool({
      name,
      description: 'Run in a thread.',
      parameters: { type: 'object' },
      timeout,
      isolation: 'thread',
      readOnly: true,
      concurrent: true,
      secrets: ['THREAD_TEST_KEY'],
      execute: { module, export: name },
    })

  test('terminates while (true) {} at its deadline while other calls continue', async () => {
    runtime.register(
      thread('spin', limit),
      defineTool({
        name: 'tick',
        description: 'Tick.',
        readOnly: true,
        concurrent: true,
        execute: () => 'tock',
      }),
    )
    const start = performance.now()
    const results = await runtime.execute([
      { id: 'c1', name: 'spin' },
      { id: 'c2', name: 'tick' },
    ])
    expect(results[0]).toMatchObject({ status: 'error', code: 'TOOL_TIMEOUT' })
    expect(results[0]).not.toHaveProperty('abandoned')
    expect(results[1]).toMatchObject({ status: 'success', value: 'tock' })
    expect(performance.now() - start).toBeLessThan(limit + grace + 10_000)
    expect(runtime.getSnapshot().late.abandoned).toBe(0)
  })

  test('keeps partial output', async () => {
    runtime.register(thread('spinAfterOutput', 1_500))
    const [result] = await runtime.execute([{ id: 'c1', name: 'spinAfterOutput' }])
    expect(result).toMatchObject({ code: 'TOOL_TIMEOUT', output: 'about to spin\n' })
  })

  test("provides the call's meta", async () => {
    runtime.register(thread('meta'))
    const [result] = await runtime.execute([{ id: 'c1', name: 'meta', meta: { trace: ['a', 1] } }])
    expect(result).toMatchObject({ value: { trace: ['a', 1] } })
  })

  test('provides the same context: output, progress, deadline, errors', async () => {
    runtime.register(
      thread('add'),
      thread('fail'),
      thread('polite', 700),
      thread('exits'),
      thread('unclonable'),
      thread('missing'),
    )
    const results = await runtime.execute([
      { id: 'c1', name: 'add', params: { a: 2, b: 3 } },
      { id: 'c2', name: 'fail' },
      { id: 'c3', name: 'polite' },
      { id: 'c4', name: 'exits' },
      { id: 'c5', name: 'unclonable' },
      { id: 'c6', name: 'missing' },
    ])
    expect(results[0]).toMatchObject({ value: { sum: 5, remaining: true } })
    expect(results[0]!.output).toContain('adding')
    expect(results[0]!.output).toContain('from the console')
    expect(results[1]).toMatchObject({ code: 'TOOL_FAILED', message: 'broken in the thread' })
    expect(results[2]).toMatchObject({ code: 'TOOL_TIMEOUT' })
    expect(results[3]).toMatchObject({
      code: 'WORKER_LOST',
      message: expect.stringContaining('exited with code 3'),
    })
    expect(results[4]).toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining('could not be cloned'),
    })
    expect(results[5]).toMatchObject({
      code: 'INVALID_TOOL',
      message: expect.stringContaining('exports no function "missing"'),
    })
  })

  test('lets a thread run other tools, ask, and read its secrets', async () => {
    process.env.THREAD_TEST_KEY = 'k'
    runtime.onQuestion(() => ({ text: 'yes' }))
    runtime.register(
      thread('delegate'),
      defineTool({
        name: 'echo',
        description: 'Echo a string.',
        readOnly: true,
        parameters: { type: 'object', properties: { text: { type: 'string' } } },
        execute: ({ text }) => text,
      }),
    )
    const [result] = await runtime.execute([{ id: 'c1', name: 'delegate' }])
    delete process.env.THREAD_TEST_KEY
    expect(result).toMatchObject({ value: { inner: 'hi', answer: 'yes', key: 'k' } })
  })

  test('rejects a closure at definition', () => {
    expect(() =>
      defineTool({
        name: 'closure',
        description: 'Close over.',
        isolation: 'thread',
        execute: (() => 1) as never,
      }),
    ).toThrow(expect.objectContaining({ code: 'INVALID_TOOL', field: expect.stringContaining('execute') }))
  })
})

describe('threads that misbehave', () => {
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

  test('handles an abort reason that cannot be cloned', async () => {
    thread('polite', 10_000)
    const controller = new AbortController()
    const running = runtime.execute([{ id: 'c', name: 'polite' }], { signal: controller.signal })
    setTimeout(() => controller.abort({ with: () => 'a function' }), 300)
    expect((await running)[0]).toMatchObject({ status: 'cancelled' })
  })

  test('throttles a thread that floods, and ends it at its deadline', async () => {
    thread('flood')
    const before = process.memoryUsage().rss
    const [result] = await runtime.execute([{ id: 'c', name: 'flood' }])
    expect(result).toMatchObject({ code: 'TOOL_TIMEOUT' })
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 2 ** 20)
  })

  test('reports results that cannot be cloned and unhandled rejections', async () => {
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
      message: expect.stringContaining('unhandled'),
    })
  })

  test('ignores messages that a tool posts to parentPort', async () => {
    thread('parentPortUser', 5_000)
    const [result] = await runtime.execute([{ id: 'c', name: 'parentPortUser' }])
    expect(result).toMatchObject({ value: 'fine' })
  })

  test('reports a module that does not exist', async () => {
    const missing = new URL('./fixtures/none.js', import.meta.url)
    runtime.register(
      defineTool({ name: 'x', description: 'X.', isolation: 'thread', execute: { module: missing } }),
    )
    const [result] = await runtime.execute([{ id: 'c', name: 'x' }])
    expect(result).toMatchObject({ code: 'TOOL_FAILED', message: expect.stringContaining('none.js') })
  })
})
