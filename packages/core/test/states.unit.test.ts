import { createRuntime, type QuestionHandler, type RuntimeOptions } from '@curfew/core'
import { callEdges } from '@curfew/core/internal'
import { createFakeClock, recordTransitions, scriptedTool } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'

function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, log: () => {}, ...options })
  const recorder = recordTransitions(runtime)
  runtime.register(
    scriptedTool({ clock, name: 'read', readOnly: true, script: [{ wait: 100 }, { return: 'read' }] }),
    scriptedTool({ clock, name: 'write', script: [{ wait: 100 }, { return: 'written' }] }),
    scriptedTool({ clock, name: 'fail', readOnly: true, script: [{ throw: new Error('no') }] }),
    scriptedTool({
      clock,
      name: 'strict',
      readOnly: true,
      parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      script: [],
    }),
  )
  return { clock, runtime, recorder }
}

const yes: QuestionHandler = () => 'once'
const never: QuestionHandler = () => new Promise(() => {})

/** For every edge of the table, a run that takes it. */
const runs: Record<string, (recorders: { edges(): Set<string> }[]) => Promise<void>> = {
  'validating -> awaiting_approval': (all) => run(all, { ask: yes }, 'write'),
  'validating -> scheduled': (all) => run(all, {}, 'read'),
  'validating -> error': (all) => run(all, {}, 'unknown'),
  'validating -> cancelled': (all) => run(all, {}, 'read', AbortSignal.abort()),
  'awaiting_approval -> scheduled': (all) => run(all, { ask: yes }, 'write'),
  'awaiting_approval -> error': (all) => run(all, { ask: () => 'no' }, 'write'),
  'awaiting_approval -> cancelled': (all) => run(all, { ask: never }, 'write', 50),
  'scheduled -> executing': (all) => run(all, {}, 'read'),
  'scheduled -> error': async (all) => {
    const { clock, runtime, recorder } = setUp({ concurrency: 1, queueTimeout: 10, approval: 'allow' })
    runtime.register(scriptedTool({ clock, name: 'fan', concurrent: true, script: [{ wait: 100 }] }))
    const calls = ['a', 'b'].map((id) => ({ id, name: 'fan' }))
    const results = await clock.runUntil(runtime.execute(calls))
    expect(results[1]).toMatchObject({ code: 'QUEUE_TIMEOUT' })
    all.push(recorder)
  },
  'scheduled -> cancelled': async (all) => {
    const { clock, runtime, recorder } = setUp()
    const running = runtime.execute(['a', 'b'].map((id) => ({ id, name: 'read' })))
    await clock.advance(10)
    expect(runtime.cancel('b')).toBe(true)
    await clock.runUntil(running)
    all.push(recorder)
  },
  'executing -> success': (all) => run(all, {}, 'read'),
  'executing -> error': (all) => run(all, {}, 'fail'),
  'executing -> cancelled': (all) => run(all, {}, 'read', 50),
}

async function run(
  all: { edges(): Set<string> }[],
  options: RuntimeOptions,
  name: string,
  stop?: AbortSignal | number,
): Promise<void> {
  const { clock, runtime, recorder } = setUp(options)
  const controller = new AbortController()
  const signal = stop instanceof AbortSignal ? stop : controller.signal
  const running = runtime.execute([{ id: 'c1', name }], { signal })
  if (typeof stop === 'number') {
    await clock.advance(stop)
    controller.abort()
  }
  await clock.runUntil(running)
  expect(recorder.illegal()).toEqual([])
  expect(clock.pending).toBe(0)
  all.push(recorder)
}

describe('states', () => {
  test('there are seven, three of them terminal', () => {
    expect(Object.keys(callEdges)).toEqual([
      'validating',
      'awaiting_approval',
      'scheduled',
      'executing',
      'success',
      'error',
      'cancelled',
    ])
    const terminal = Object.entries(callEdges).filter(([, next]) => next.length === 0)
    expect(terminal.map(([status]) => status)).toEqual(['success', 'error', 'cancelled'])
  })

  test('error and cancelled can be reached from every non-terminal state', () => {
    for (const next of Object.values(callEdges).filter((edges) => edges.length > 0)) {
      expect(next).toEqual(expect.arrayContaining(['error', 'cancelled']))
    }
  })

  test('every edge of the table can be taken', () => {
    const edges = Object.entries(callEdges).flatMap(([from, next]) => next.map((to) => `${from} -> ${to}`))
    expect(Object.keys(runs).sort()).toEqual(edges.sort())
  })

  test.each(Object.entries(runs))('%s', async (edge, takeEdge) => {
    const recorders: { edges(): Set<string> }[] = []
    await takeEdge(recorders)
    expect([...recorders[0]!.edges()]).toContain(edge)
  })

  test('an approved call goes through all states', async () => {
    const { clock, runtime, recorder } = setUp({ ask: yes })
    await clock.runUntil(runtime.execute([{ id: 'c1', name: 'write' }]))
    expect(recorder.path('c1')).toEqual([
      'validating',
      'awaiting_approval',
      'scheduled',
      'executing',
      'success',
    ])
  })

  test('each state carries its own data', async () => {
    const { clock, runtime, recorder } = setUp({ ask: yes })
    await clock.runUntil(runtime.execute([{ id: 'c1', name: 'write', params: { path: 'a' } }]))
    const states = recorder.transitions.map(({ state }) => state)
    expect(states).toMatchObject([
      { status: 'validating' },
      { status: 'awaiting_approval', question: { tool: 'write', params: { path: 'a' } } },
      { status: 'scheduled' },
      { status: 'executing', timeoutMs: 180_000, timeoutSource: 'default' },
      { status: 'success', result: { value: 'written' } },
    ])
  })

  test('first cause wins: a cancel just before the deadline is not reported as a timeout', async () => {
    const { clock, runtime } = setUp({ approval: 'allow' })
    runtime.register(
      scriptedTool({ clock, name: 'stuck', timeout: 10_000, ignoresSignal: true, script: [{ hang: true }] }),
    )
    const running = runtime.execute([{ id: 'c1', name: 'stuck' }])
    await clock.advance(9_990)
    runtime.cancel('c1', 'by the user')
    const [result] = await clock.runUntil(running)
    expect(result).toMatchObject({ status: 'cancelled', code: 'CANCELLED', abandoned: true })
    expect(clock.now()).toBe(10_240)
  })

  test('first cause wins: a cancel in the grace period after the deadline has no effect', async () => {
    const { clock, runtime } = setUp({ approval: 'allow' })
    runtime.register(
      scriptedTool({ clock, name: 'stuck', timeout: 1_000, ignoresSignal: true, script: [{ hang: true }] }),
    )
    const running = runtime.execute([{ id: 'c1', name: 'stuck' }])
    await clock.advance(1_100)
    runtime.cancelAll()
    const [result] = await clock.runUntil(running)
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_TIMEOUT' })
  })
})
