import { CurfewError, createRuntime, type RuntimeOptions } from '@curfew/core'
import { createFakeClock, type ScriptedToolOptions, scriptedTool } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'

function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, approval: 'allow', log: () => {}, ...options })
  const tool = (name: string, more: Partial<ScriptedToolOptions> = {}): void => {
    runtime.register(
      scriptedTool({ clock, name, script: ({ n }) => [{ return: n ?? 'same' }], concurrent: true, ...more }),
    )
  }
  const run = async (names: string[], turn?: string, params: Record<string, unknown> = {}) =>
    await clock.runUntil(
      runtime.execute(
        names.map((name, index) => ({ id: `c${index}`, name, params })),
        turn === undefined ? {} : { turn },
      ),
    )
  return { clock, runtime, tool, run }
}

const codes = (results: { status: string }[]) =>
  results.map((result) => ('code' in result ? result.code : result.status))

describe('limits', () => {
  test('callsPerTurn warns the model near the limit and rejects calls beyond it', async () => {
    const { runtime, tool, run } = setUp({ limits: { callsPerTurn: 10 }, loops: false })
    tool('x')
    const first = await run(Array(8).fill('x'), 't')
    expect(first.flatMap(({ notices }) => notices)).toEqual([])
    expect(runtime.turnStatus('t')).toMatchObject({ calls: 8, callsLeft: 2, windDown: false })
    const second = await run(['x'], 't')
    expect(second[0]!.content).toContain('[curfew] 9 of 10 tool calls of this turn are used.')
    const third = await run(['x', 'x', 'x'], 't')
    expect(codes(third)).toEqual(['success', 'LIMIT_EXCEEDED', 'LIMIT_EXCEEDED'])
    expect(third[1]!.content).toContain('limits.callsPerTurn')
    expect(third[1]!.content).toContain('final answer')
    expect(runtime.turnStatus('t')).toMatchObject({ calls: 10, callsLeft: 0, windDown: true })
    expect(codes(await run(['x'], 'other'))).toEqual(['success'])
    expect(runtime.turnStatus('unknown')).toMatchObject({ calls: 0, callsLeft: 10, windDown: false })
  })

  test('without a turn, the limit applies to the batch', async () => {
    const { tool, run } = setUp({ limits: { callsPerTurn: 2 } })
    tool('x')
    expect(codes(await run(['x', 'x', 'x']))).toEqual(['success', 'success', 'LIMIT_EXCEEDED'])
    expect(codes(await run(['x', 'x']))).toEqual(['success', 'success'])
  })

  test('rejected calls count, too', async () => {
    const { run } = setUp({ limits: { callsPerTurn: 2 }, loops: false })
    expect(codes(await run(['nothing', 'nothing', 'nothing'], 't'))).toEqual([
      'TOOL_NOT_FOUND',
      'TOOL_NOT_FOUND',
      'LIMIT_EXCEEDED',
    ])
  })

  test('continuations are limited per conversation', () => {
    const { runtime } = setUp({ limits: { continuations: 3 } })
    const chat = runtime.conversation()
    const steps = Array.from({ length: 5 }, () => chat.continue())
    expect(steps.map(({ windDown }) => windDown)).toEqual([false, false, false, true, true])
    expect(steps.map(({ notice }) => notice !== null)).toEqual([false, true, true, true, true])
    expect(steps[2]).toMatchObject({ count: 3, left: 0 })
    expect(runtime.conversation().continue()).toMatchObject({ count: 1, windDown: false })
  })

  test('keeps a turn with live calls among 1,200 others', async () => {
    const { clock, runtime, tool } = setUp()
    tool('hangs', { script: [{ hang: true }] })
    const live = runtime.execute([{ id: 'c', name: 'hangs' }], { turn: 'live' })
    await clock.settle()
    for (let i = 0; i < 1_200; i++) await runtime.execute([], { turn: `t${i}` })
    expect(runtime.turnStatus('live').calls).toBe(1)
    runtime.cancelAll()
    await clock.runUntil(live)
  })
})

describe('window breaker', () => {
  test('opens after maxCallsPerWindow calls and closes when the window is over', async () => {
    const { clock, runtime, tool, run } = setUp({ breaker: { maxCallsPerWindow: 3, resetTime: 1_000 } })
    tool('x')
    const results = await run(['x', 'x', 'x', 'x'])
    expect(codes(results)).toEqual(['success', 'success', 'success', 'CIRCUIT_OPEN'])
    expect(results[3]!.content).toContain('more than 3 tool calls within 1 s')
    expect(results[3]!.content).toContain('accepted again in 1 s')
    expect(runtime.getSnapshot().breakers.window).toEqual({
      toolCallCount: 3,
      maxCallsPerWindow: 3,
      resetTime: 1_000,
      windowEnd: 1_000,
    })
    await clock.advance(1_000)
    expect(codes(await run(['x']))).toEqual(['success'])
  })
})

describe('failure breaker', () => {
  const options: RuntimeOptions = { breaker: { failures: 3, cooldown: '10s' } }

  function flaky(tool: ReturnType<typeof setUp>['tool']): { works: boolean } {
    const health = { works: false }
    tool('flaky', {
      timeout: 100,
      script: () => (health.works ? [{ wait: 10 }, { return: 'ok' }] : [{ hang: true }]),
    })
    return health
  }

  test('opens after consecutive timeouts, rejects immediately, and closes after a successful probe', async () => {
    const { clock, runtime, tool, run } = setUp(options)
    const health = flaky(tool)
    for (let i = 0; i < 3; i++) expect(codes(await run(['flaky']))).toEqual(['TOOL_TIMEOUT'])
    const before = clock.now()
    const [rejected] = await run(['flaky'])
    expect(rejected).toMatchObject({ code: 'CIRCUIT_OPEN' })
    expect(rejected!.content).toContain('flaky failed too often')
    expect(clock.now()).toBe(before)
    expect(runtime.getSnapshot().breakers.failures.flaky).toMatchObject({ state: 'open', failures: 3 })
    await clock.advance(10_000)
    health.works = true
    expect(codes(await run(['flaky', 'flaky']))).toEqual(['success', 'CIRCUIT_OPEN'])
    expect(runtime.getSnapshot().breakers.failures).toEqual({})
    expect(codes(await run(['flaky', 'flaky']))).toEqual(['success', 'success'])
  })

  test('a failed probe opens it again', async () => {
    const { clock, tool, run } = setUp(options)
    flaky(tool)
    for (let i = 0; i < 3; i++) await run(['flaky'])
    await clock.advance(10_000)
    expect(codes(await run(['flaky']))).toEqual(['TOOL_TIMEOUT'])
    expect(codes(await run(['flaky']))).toEqual(['CIRCUIT_OPEN'])
  })

  test('a cancelled probe leaves it open for the next one', async () => {
    const { clock, runtime, tool, run } = setUp(options)
    const health = flaky(tool)
    for (let i = 0; i < 3; i++) await run(['flaky'])
    await clock.advance(10_000)
    const probe = runtime.execute([{ id: 'probe', name: 'flaky' }])
    await clock.advance(10)
    runtime.cancel('probe')
    expect(codes(await clock.runUntil(probe))).toEqual(['CANCELLED'])
    expect(runtime.getSnapshot().breakers.failures.flaky!.state).toBe('open')
    health.works = true
    expect(codes(await run(['flaky']))).toEqual(['success'])
  })

  test('rejects calls of the batch that wait for the failing ones', async () => {
    const { clock, tool, run } = setUp(options)
    tool('serial', { concurrent: false, timeout: 100, script: [{ hang: true }] })
    expect(codes(await run(Array(5).fill('serial')))).toEqual([
      'TOOL_TIMEOUT',
      'TOOL_TIMEOUT',
      'TOOL_TIMEOUT',
      'CIRCUIT_OPEN',
      'CIRCUIT_OPEN',
    ])
    expect(clock.now()).toBe(300)
  })

  test("a tool's own error does not count, a transport failure does, and a success resets the count", async () => {
    const { tool, run } = setUp(options)
    tool('errs', { script: [{ throw: new Error('not found') }] })
    tool('transport', {
      script: ({ fails }) =>
        fails ? [{ throw: new CurfewError('TRANSPORT_FAILED', '503') }] : [{ return: 1 }],
    })
    expect(codes(await run(Array(5).fill('errs')))).toEqual(Array(5).fill('TOOL_FAILED'))
    for (let i = 0; i < 3; i++) {
      await run(['transport', 'transport'], undefined, { fails: true })
      expect(codes(await run(['transport']))).toEqual(['success'])
    }
    expect(codes(await run(['transport', 'transport', 'transport'], undefined, { fails: true }))).toEqual(
      Array(3).fill('TRANSPORT_FAILED'),
    )
    expect(codes(await run(['transport']))).toEqual(['CIRCUIT_OPEN'])
  })

  test('abandonment counts even if the call was cancelled', async () => {
    const { clock, runtime, tool, run } = setUp(options)
    tool('stubborn', { ignoresSignal: true, script: [{ wait: 60_000 }] })
    const running = runtime.execute(['a', 'b', 'c'].map((id) => ({ id, name: 'stubborn' })))
    await clock.advance(10)
    runtime.cancelAll()
    expect(codes(await clock.runUntil(running))).toEqual(Array(3).fill('CANCELLED'))
    expect(codes(await run(['stubborn']))).toEqual(['CIRCUIT_OPEN'])
  })
})

describe('loop detection', () => {
  const options: RuntimeOptions = { loops: { nudgeAfter: 3, stopAfter: 5 } }

  test('warns after three equal results and rejects with LOOP_DETECTED after five', async () => {
    const { tool, run } = setUp(options)
    tool('x')
    const rounds = []
    for (let i = 0; i < 7; i++) rounds.push((await run(['x'], 't'))[0]!)
    expect(codes(rounds)).toEqual([...Array(5).fill('success'), 'LOOP_DETECTED', 'LOOP_DETECTED'])
    expect(rounds.map(({ notices }) => notices.length > 0)).toEqual([
      false,
      false,
      true,
      true,
      true,
      false,
      false,
    ])
    expect(rounds[2]!.content).toContain('Try something else')
  })

  test.each([2, 3, 4, 5])('detects cycles of %i calls', async (length) => {
    const { tool, run } = setUp(options)
    const names = Array.from({ length }, (_, index) => `tool_${index}`)
    for (const name of names) tool(name)
    for (let round = 0; round < 5; round++) {
      for (const name of names) expect(codes(await run([name], 't'))).toEqual(['success'])
    }
    for (const name of [...names, ...names]) expect(codes(await run([name], 't'))).toEqual(['LOOP_DETECTED'])
  })

  test('detects repeated batches', async () => {
    const { tool, run } = setUp(options)
    tool('a')
    tool('b')
    for (let round = 0; round < 5; round++) await run(['a', 'b'], 't')
    expect(codes(await run(['a', 'b'], 't'))).toEqual(['LOOP_DETECTED', 'LOOP_DETECTED'])
  })

  test('a different result, different arguments or another call ends a loop', async () => {
    const { tool, run } = setUp(options)
    tool('x')
    tool('y')
    for (let n = 0; n < 10; n++) expect(codes(await run(['x'], 'arguments', { n }))).toEqual(['success'])
    let count = 0
    tool('counter', { script: () => [{ return: ++count }] })
    for (let n = 0; n < 10; n++) expect(codes(await run(['counter'], 'results'))).toEqual(['success'])
    for (let i = 0; i < 5; i++) await run(['x'], 't')
    expect(codes(await run(['y'], 't'))).toEqual(['success'])
    expect(codes(await run(['x'], 't'))).toEqual(['success'])
  })

  test('the order of the arguments does not matter', async () => {
    const { clock, runtime, tool } = setUp(options)
    tool('x', { script: [{ return: 1 }] })
    const orders = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ]
    const results = []
    for (let i = 0; i < 6; i++) {
      results.push(
        ...(await clock.runUntil(
          runtime.execute([{ id: 'c', name: 'x', params: orders[i % 2] }], { turn: 't' }),
        )),
      )
    }
    expect(codes(results).at(-1)).toBe('LOOP_DETECTED')
  })

  test('parallel duplicates count once', async () => {
    const { tool, run } = setUp(options)
    tool('x')
    expect(codes(await run(Array(20).fill('x'), 't'))).toEqual(Array(20).fill('success'))
    expect(codes(await run(['x'], 't'))).toEqual(['success'])
  })

  test.each([
    ['long strings', { script: [{ return: 'x'.repeat(100_000) }] }],
    ['bytes', { script: [{ return: new Uint8Array(200_000) }] }],
    ['timeouts', { script: [{ hang: true }], timeout: 61 }],
    ['output without a value', { script: [{ output: 'same' }] }],
  ] as const)('detects loops of %s', async (_name, more) => {
    const { clock, runtime, tool } = setUp({ ...options, breaker: { failures: 100 } })
    tool('x', more as never)
    const results = []
    for (let i = 0; i < 6; i++) {
      // Not runUntil: writing files takes real time.
      const running = runtime.execute([{ id: 'c', name: 'x' }], { turn: 't' })
      await clock.advance(100)
      results.push(...(await running))
    }
    expect(codes(results).at(-1)).toBe('LOOP_DETECTED')
    // Its results are in files.
    const closed = runtime.close()
    await clock.advance(1_000)
    await closed
  })

  test('detects repeated failures', async () => {
    const { run } = setUp(options)
    for (let i = 0; i < 5; i++) expect(codes(await run(['nothing'], 't'))).toEqual(['TOOL_NOT_FOUND'])
    expect(codes(await run(['nothing'], 't'))).toEqual(['LOOP_DETECTED'])
  })

  test('ignores polling tools and other turns, and can be disabled', async () => {
    const { tool, run } = setUp(options)
    tool('poll', { polling: true })
    tool('x')
    for (let i = 0; i < 10; i++) expect(codes(await run(['poll'], 't'))).toEqual(['success'])
    for (let i = 0; i < 10; i++) expect(codes(await run(['x'], `t${i}`))).toEqual(['success'])
    const off = setUp({ loops: false })
    off.tool('x')
    for (let i = 0; i < 10; i++) expect(codes(await off.run(['x'], 't'))).toEqual(['success'])
  })

  test('only warns with stopAfter: Infinity', async () => {
    const { tool, run } = setUp({ loops: { stopAfter: Number.POSITIVE_INFINITY } })
    tool('x')
    for (let i = 0; i < 40; i++) expect(codes(await run(['x'], 't'))).toEqual(['success'])
    expect((await run(['x'], 't'))[0]!.notices.length).toBe(1)
  })
})
