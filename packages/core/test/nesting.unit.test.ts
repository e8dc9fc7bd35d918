import { type CallResult, createRuntime, defineTool, type ToolContext } from '@curfew/core'
import { scriptedTool } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { file, setUp } from './support/scheduling-setup.ts'

describe('nesting', () => {
  const nest =
    (name: string, params?: Record<string, unknown>) =>
    (context: ToolContext): Promise<unknown> =>
      context.execute([{ id: 'inner', name, ...(params && { params }) }])

  test('nested calls of all running tools do not deadlock', async () => {
    const { clock, runtime, tool } = setUp()
    tool('inner', { concurrent: true })
    runtime.register(
      scriptedTool({
        clock,
        name: 'outer',
        concurrent: true,
        script: [{ run: nest('inner') }, { return: 'ok' }],
      }),
    )
    const calls = Array.from({ length: 16 }, (_, index) => ({ id: `${index}`, name: 'outer' }))
    const results = await clock.runUntil(runtime.execute(calls))
    expect(results.every(({ status }) => status === 'success')).toBe(true)
  })

  test("a descendant re-enters its ancestor's lock, and its siblings still run one at a time", async () => {
    const { clock, runtime, tool, events } = setUp()
    tool('write', { resources: file })
    runtime.register(
      scriptedTool({
        clock,
        name: 'outer',
        resources: () => ['file:a'],
        script: [
          {
            run: (context) =>
              Promise.all([
                context.execute([{ id: '1', name: 'write', params: { path: 'a', label: 'one' } }]),
                context.execute([{ id: '1', name: 'write', params: { path: 'a', label: 'two' } }]),
              ]),
          },
        ],
      }),
    )
    const [result] = await clock.runUntil(runtime.execute([{ id: 'o', name: 'outer' }]))
    expect(result).toMatchObject({ status: 'success' })
    expect(events).toEqual(['+one', '-one', '+two', '-two'])
  })

  test('a nested call goes ahead of a call that waits for its ancestor', async () => {
    const { clock, runtime, tool, events } = setUp()
    tool('both', { resources: () => ['k1', 'k2'] })
    tool('second', { resources: () => ['k2'] })
    runtime.register(
      scriptedTool({
        clock,
        name: 'outer',
        resources: () => ['k1'],
        script: [{ wait: 50 }, { run: nest('second') }, { return: 'ok' }],
      }),
    )
    const [[outer], [both]] = await clock.runUntil(
      Promise.all([
        runtime.execute([{ id: 'o', name: 'outer' }]),
        runtime.execute([{ id: 'b', name: 'both' }]),
      ]),
    )
    expect(outer).toMatchObject({ status: 'success' })
    expect(both).toMatchObject({ status: 'success' })
    expect(events).toEqual(['+second', '-second', '+both', '-both'])
  })

  test('a nested call goes ahead of a call that waits for the slot of its ancestor', async () => {
    const { clock, runtime, tool } = setUp({ concurrency: 1 })
    tool('write', { resources: () => ['k'] })
    runtime.register(
      scriptedTool({
        clock,
        name: 'outer',
        script: [{ wait: 50 }, { run: nest('write') }, { return: 'ok' }],
      }),
    )
    const [[outer], [write]] = await clock.runUntil(
      Promise.all([
        runtime.execute([{ id: 'o', name: 'outer' }]),
        runtime.execute([{ id: 'w', name: 'write' }]),
      ]),
    )
    expect(outer).toMatchObject({ status: 'success', durationMs: 150 })
    expect(write).toMatchObject({ status: 'success' })
  })

  test('unfinished nested calls are cancelled when their parent ends', async () => {
    const { clock, runtime, tool } = setUp()
    tool('inner', { concurrent: true, duration: 60_000 })
    runtime.register(
      scriptedTool({
        clock,
        name: 'outer',
        script: [{ run: (context) => void nest('inner')(context) }, { wait: 10 }, { return: 'ok' }],
      }),
    )
    await clock.runUntil(runtime.execute([{ id: 'o', name: 'outer' }]))
    await clock.settle()
    expect(runtime.getSnapshot().calls.map(({ name, status }) => [name, status])).toEqual([
      ['outer', 'success'],
      ['inner', 'cancelled'],
    ])
    expect(clock.pending).toBe(0)
  })

  test('cancelling a call cancels its descendants', async () => {
    const { clock, runtime, tool } = setUp()
    tool('inner', { duration: 60_000 })
    runtime.register(scriptedTool({ clock, name: 'outer', script: [{ run: nest('inner') }] }))
    const controller = new AbortController()
    const running = runtime.execute([{ id: 'o', name: 'outer' }], { signal: controller.signal })
    await clock.advance(100)
    controller.abort()
    await clock.runUntil(running)
    expect(runtime.getSnapshot().calls.map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
    expect(clock.now()).toBe(100)
  })

  test('execute with parent adds calls to a running one', async () => {
    const { clock, runtime, tool } = setUp()
    tool('inner', { duration: 10 })
    let uid = 0
    runtime.register(
      scriptedTool({
        clock,
        name: 'outer',
        script: [
          {
            run: async (context) => {
              uid = context.uid
              await runtime.execute([{ id: 'i', name: 'inner' }], { parent: context.uid })
            },
          },
        ],
      }),
    )
    await clock.runUntil(runtime.execute([{ id: 'o', name: 'outer' }]))
    expect(runtime.getSnapshot().calls[1]).toMatchObject({ name: 'inner', parentUid: uid })
  })

  test('limits.depth limits nesting', async () => {
    const { clock, runtime } = setUp({ limits: { depth: 3 } })
    const depths: number[] = []
    runtime.register(
      scriptedTool({
        clock,
        name: 'again',
        readOnly: true,
        script: ({ depth }) => [
          {
            run: async (context) => {
              depths.push(Number(depth))
              const [result] = await context.execute([
                { id: 'x', name: 'again', params: { depth: Number(depth) + 1 } },
              ])
              if (result!.status === 'error') throw new Error(result!.content)
            },
          },
        ],
      }),
    )
    const [result] = await clock.runUntil(runtime.execute([{ id: 'x', name: 'again', params: { depth: 0 } }]))
    expect(depths).toEqual([0, 1, 2, 3])
    expect(result!.content).toContain('LIMIT_EXCEEDED: calls may be nested at most 3 levels deep')
  })
})

describe('1,500 nested calls', () => {
  const deepest = 1_500

  /** Starts a chain of nested calls; resolves when the innermost one runs. */
  async function startChain() {
    const runtime = createRuntime({
      approval: 'allow',
      limits: { depth: Number.POSITIVE_INFINITY, callsPerTurn: Number.POSITIVE_INFINITY },
      log: () => {},
    })
    let reach = (): void => {}
    const reached = new Promise<void>((resolve) => {
      reach = resolve
    })
    const results: CallResult[] = []
    runtime.register(
      defineTool({
        name: 'nest',
        description: 'Call itself.',
        parameters: z.object({ level: z.number() }),
        async execute({ level }, { execute, signal }) {
          if (level < deepest) {
            const [result] = await execute([{ id: `${level}`, name: 'nest', params: { level: level + 1 } }])
            results.push(result!)
            return result!.status
          }
          reach()
          return await new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason))
          })
        },
      }),
    )
    const controller = new AbortController()
    const calls = [{ id: '0', name: 'nest', params: { level: 1 } }]
    const running = runtime.execute(calls, { signal: controller.signal })
    await reached
    return { runtime, running, results, abort: () => controller.abort() }
  }

  test.each<[string, (chain: Awaited<ReturnType<typeof startChain>>) => unknown]>([
    ['by their signal', ({ abort }) => abort()],
    ['by the caller', ({ runtime }) => runtime.cancelAll('enough')],
    ['by closing the runtime', ({ runtime }) => runtime.close()],
  ])('all end when they are cancelled %s', async (_how, cancel) => {
    const chain = await startChain()
    await cancel(chain)
    const [outermost] = await chain.running
    expect(outermost).toMatchObject({ status: 'cancelled', code: 'CANCELLED' })
    await chain.runtime.close()
    const { calls } = chain.runtime.getSnapshot()
    expect(calls.filter(({ status }) => status !== 'cancelled')).toEqual([])
    expect(chain.results).toHaveLength(deepest - 1)
    // Each contains the cause, not the whole chain.
    for (const { content } of chain.results) expect(content.length).toBeLessThan(500)
    expect(chain.results[0]!.content).toContain('its parent call nest was stopped: the call was cancelled')
  })
})
