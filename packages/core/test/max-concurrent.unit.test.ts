import { createRuntime, defineTool, type RuntimeOptions, type ToolCall, type ToolContext } from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { setUp } from './support/scheduling-setup.ts'

const five = Array.from({ length: 5 }, (_, index) => ['limited', { label: `${index}` }] as [string, object])

function limited(options: RuntimeOptions = {}, maxConcurrent = 2) {
  const setup = setUp(options)
  setup.tool('limited', { concurrent: true, readOnly: true, maxConcurrent })
  setup.tool('other', { concurrent: true, readOnly: true })
  return setup
}

describe('maxConcurrent', () => {
  test('at most that many calls run at a time, across batches and in call order', async () => {
    const { clock, runtime, events, maxRunning } = limited()
    const batch = (from: number): ToolCall[] =>
      [0, 1, 2].map((index) => ({ id: `${index}`, name: 'limited', params: { label: `${from + index}` } }))
    const [first, second] = await clock.runUntil(
      Promise.all([runtime.execute(batch(0)), runtime.execute(batch(3))]),
    )
    expect([...first, ...second].every(({ status }) => status === 'success')).toBe(true)
    expect(maxRunning()).toBe(2)
    expect(events.filter((event) => event.startsWith('+'))).toEqual(['+0', '+1', '+2', '+3', '+4', '+5'])
    expect(clock.pending).toBe(0)
  })

  test('a waiting call occupies none of the slots of the runtime', async () => {
    const { run, events } = limited({ concurrency: 2 }, 1)
    await run(...(five as never[]), 'other', 'other')
    expect(events.slice(0, 3)).toEqual(['+0', '+other', '-0'])
  })

  test('waiting is limited by queueTimeout, also if the call waits for both kinds of slots', async () => {
    const { run } = limited({ queueTimeout: 150 }, 1)
    const results = await run(...(five.slice(0, 3) as never[]))
    expect(results).toMatchObject([
      { status: 'success' },
      { status: 'success' },
      {
        code: 'QUEUE_TIMEOUT',
        message:
          'limited waited 150 ms for its turn, because at most 1 (maxConcurrent) calls of it run at a time, and did not run',
      },
    ])
  })

  test('a cancelled call stops waiting, and the others keep their order', async () => {
    const { clock, runtime, events } = limited({}, 1)
    const calls = five.map(([name, params], index) => ({ id: `c${index}`, name, params }))
    const pending = runtime.execute(calls)
    await clock.advance(50)
    runtime.cancel('c1')
    runtime.cancel('c0')
    const results = await clock.runUntil(pending)
    expect(results.map(({ status }) => status)).toEqual([
      'cancelled',
      'cancelled',
      'success',
      'success',
      'success',
    ])
    expect(events).toEqual(['+0', '+2', '-2', '+3', '-3', '+4', '-4'])
    expect(clock.pending).toBe(0)
  })

  test('closing the runtime and stopping the batch end the waiting calls', async () => {
    for (const stop of ['close', 'abort'] as const) {
      const { clock, runtime, events } = limited({}, 1)
      const controller = new AbortController()
      const calls = five.map(([name, params], index) => ({ id: `c${index}`, name, params }))
      const pending = runtime.execute(calls, { signal: controller.signal })
      await clock.advance(50)
      const closed = stop === 'close' ? runtime.close() : controller.abort()
      const results = await clock.runUntil(pending)
      await closed
      expect(results.every(({ status }) => status === 'cancelled')).toBe(true)
      expect(events).toEqual(['+0'])
      expect(clock.pending).toBe(0)
    }
  })

  test.each([
    ['a failure', [{ throw: new Error('no') }], false],
    ['a timeout', [{ hang: true as const }], false],
    ['abandonment', [{ hang: true as const }], true],
    ['an invalid result', [{ return: () => {} }], false],
  ])('the slot is released after %s', async (_name, script, ignoresSignal) => {
    const { clock, runtime, run } = limited()
    runtime.register(
      scriptedTool({ clock, name: 'bad', maxConcurrent: 1, timeout: 50, script, ignoresSignal }),
    )
    const results = await run('bad', 'bad', 'bad')
    expect(results.map(({ status }) => status)).toEqual(['error', 'error', 'error'])
    expect(results.every((result) => 'code' in result && result.code !== 'QUEUE_TIMEOUT')).toBe(true)
    expect(clock.pending).toBe(0)
  })

  test('thousands of waiting calls that cannot start end without recursion', async () => {
    const { clock, runtime } = limited({
      breaker: { failures: 1, cooldown: '1h' },
      limits: { callsPerTurn: 20_000 },
    })
    runtime.register(
      scriptedTool({
        clock,
        name: 'slow',
        concurrent: true,
        maxConcurrent: 1,
        timeout: 50,
        script: [{ hang: true }],
      }),
    )
    const calls = Array.from({ length: 9_000 }, (_, index) => ({ id: `${index}`, name: 'slow' }))
    const results = await clock.runUntil(runtime.execute(calls))
    expect(results[0]).toMatchObject({ code: 'TOOL_TIMEOUT' })
    expect(results.slice(1).every((result) => 'code' in result && result.code === 'CIRCUIT_OPEN')).toBe(true)
  })

  test('a call inside another call of the same tool needs no slot', async () => {
    const clock = createFakeClock()
    const runtime = createRuntime({ clock, approval: 'allow', log: () => {} })
    runtime.register(
      defineTool({
        name: 'recurse',
        description: 'Call itself.',
        parameters: { type: 'object', properties: { levels: { type: 'integer' } }, required: ['levels'] },
        maxConcurrent: 1,
        async execute({ levels }, context) {
          if (levels === 0) return 0
          const via = levels % 2 === 0 ? 'recurse' : 'between'
          const [result] = await context.execute([{ id: 'x', name: via, params: { levels: levels - 1 } }])
          return result
        },
      }),
      defineTool({
        name: 'between',
        description: 'Call the other tool.',
        parameters: { type: 'object', properties: { levels: { type: 'integer' } }, required: ['levels'] },
        execute: (params, context) => context.execute([{ id: 'y', name: 'recurse', params }]),
      }),
    )
    const calls = [1, 2].map((id) => ({ id: `${id}`, name: 'recurse', params: { levels: 4 } }))
    const results = await clock.runUntil(runtime.execute(calls))
    expect(results.map(({ status, durationMs }) => [status, durationMs])).toEqual([
      ['success', 0],
      ['success', 0],
    ])
  })

  test('a nested call goes ahead of a call that waits for a slot of the runtime', async () => {
    // The outer call holds the only slot, so the limited call that was there first cannot start before it.
    const { clock, runtime, run } = limited({ concurrency: 1 }, 1)
    runtime.register(
      scriptedTool({
        clock,
        name: 'outer',
        concurrent: true,
        script: [
          { wait: 10 },
          { run: (context) => context.execute([{ id: 'x', name: 'limited' }]) },
          { wait: 10 },
        ],
      }),
    )
    const results = await run('outer', 'limited', 'outer', 'limited')
    expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'success', 'success'])
    expect(clock.now()).toBe(440)
  })

  test('a nested call is not held up by one that waits for a slot of its batch, which would be a deadlock', async () => {
    const { clock, runtime, tool } = limited({ concurrency: 3 }, 1)
    const nest = (name: string, script: readonly string[], options: object = {}): void => {
      const calls = script.map((call, index) => ({ id: `${index}`, name: call }))
      const steps = [{ wait: 50 }, { run: (context: ToolContext) => context.execute(calls) }]
      runtime.register(scriptedTool({ clock, name, concurrent: true, script: steps, ...options }))
    }
    tool('write', { resources: () => ['key'] })
    // The siblings wait for the key's holder, and occupy the slots that the limited call of their batch waits for.
    nest('sibling', ['write'])
    nest('first', ['sibling', 'sibling', 'sibling', 'limited'])
    nest('holder', ['limited'], { resources: () => ['key'] })
    const batches = [['limited', 'first'], ['holder']].map((names) =>
      runtime.execute(names.map((name) => ({ id: name, name }))),
    )
    const results = (await clock.runUntil(Promise.all(batches))).flat()
    expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'success'])
    expect(clock.now()).toBeLessThan(1_000)
  })

  test('calls of a tool that was registered again count as calls of the same tool', async () => {
    const { clock, runtime } = setUp()
    const calls = [{ id: '1', name: 'limited' }]
    const define = (): (() => void) =>
      runtime.register(scriptedTool({ clock, name: 'limited', maxConcurrent: 1, script: [{ wait: 100 }] }))
    const unregister = define()
    const first = runtime.execute(calls)
    await clock.advance(50)
    unregister()
    define()
    await clock.runUntil(Promise.all([first, runtime.execute(calls)]))
    expect(clock.now()).toBe(200)
  })
})

interface Node {
  readonly tool: number
  readonly children: readonly Node[]
}

const limits = [undefined, 1, 2, undefined, 1]
function tree(levels: number): fc.Arbitrary<Node> {
  return fc.record({
    tool: fc.nat(limits.length - 1),
    children: levels === 0 ? fc.constant([]) : fc.array(tree(levels - 1), { maxLength: 4 }),
  })
}

/** Tools call only themselves or later ones: two tools that wait for each other are a mistake that only their deadlines end. */
function ordered(node: Node, least = 0): Node {
  const tool = Math.max(node.tool, least)
  return { tool, children: node.children.map((child) => ordered(child, tool)) }
}

const trees = scaled(500)

test(`nested calls of limited tools neither exceed a limit nor deadlock (${trees} trees)`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(tree(2), { maxLength: 6 }), { maxLength: 3 }),
      fc.integer({ min: 1, max: 3 }),
      async (batches, concurrency) => {
        const clock = createFakeClock()
        const runtime = createRuntime({
          clock,
          concurrency,
          approval: 'allow',
          log: () => {},
          loops: false,
          limits: { depth: 100 },
          toolCallTimeout: '1h',
        })
        const running = limits.map(() => 0)
        runtime.register(
          limits.map((maxConcurrent, tool) =>
            scriptedTool({
              clock,
              name: `tool${tool}`,
              ...(maxConcurrent !== undefined && { maxConcurrent }),
              concurrent: true,
              script: (params) => {
                const { node, inside } = params as unknown as { node: Node; inside: number[] }
                const counts = !inside.includes(tool)
                const calls = toCalls(node.children, [...inside, tool])
                return [
                  {
                    run: () => {
                      if (counts && ++running[tool]! > (maxConcurrent ?? Number.POSITIVE_INFINITY))
                        throw new Error('too many')
                    },
                  },
                  { wait: 1 },
                  {
                    run: async (context) => {
                      const results = await context.execute(calls)
                      if (results.some(({ status }) => status !== 'success')) throw new Error('failed')
                    },
                  },
                  {
                    run: () => {
                      if (counts) running[tool]!--
                    },
                  },
                ]
              },
            }),
          ),
        )
        const pending = batches.map((nodes) =>
          runtime.execute(
            toCalls(
              nodes.map((node) => ordered(node)),
              [],
            ),
          ),
        )
        const results = (await clock.runUntil(Promise.all(pending))).flat()
        expect(results.filter(({ status }) => status !== 'success')).toEqual([])
        expect(clock.pending).toBe(0)
      },
    ),
    { numRuns: trees },
  )
})

function toCalls(nodes: readonly Node[], inside: readonly number[]): ToolCall[] {
  return nodes.map((node, index) => ({ id: `${index}`, name: `tool${node.tool}`, params: { node, inside } }))
}
