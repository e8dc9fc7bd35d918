import { CurfewError, createRuntime, defineTool, type RuntimeOptions, type ToolContext } from '@curfew/core'
import type { LogEntry } from '@curfew/core/internal'
import { createFakeClock, type Step, scriptedTool } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'

function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const log: LogEntry[] = []
  const runtime = createRuntime({ clock, approval: 'allow', log: (entry) => log.push(entry), ...options })
  const tool = (
    name: string,
    script: Step[],
    more: Partial<Parameters<typeof scriptedTool>[0]> = {},
  ): void => {
    runtime.register(scriptedTool({ clock, name, script, ...more }))
  }
  const call = async (name: string, timeout?: number) => {
    const [result] = await clock.runUntil(
      runtime.execute([{ id: 'c1', name, ...(timeout !== undefined && { timeout }) }]),
    )
    return result!
  }
  return { clock, runtime, log, tool, call }
}

const repeat = (times: number, ...steps: Step[]): Step[] => Array.from({ length: times }, () => steps).flat()

describe('total and idle', () => {
  test('a timed-out call reports what ran, for how long and which limit applied, and keeps its output', async () => {
    const { tool, call } = setUp({ toolCallTimeout: '5s' })
    tool('build', [{ output: 'step 1\n' }, { hang: true }])
    const result = await call('build')
    expect(result).toMatchObject({
      code: 'TOOL_TIMEOUT',
      output: 'step 1\n',
      durationMs: 5_000,
      retrySafe: false,
    })
    expect(result.content).toBe(
      [
        'TOOL_TIMEOUT: build was stopped after 5 s: its limit is 5 s (toolCallTimeout in the configuration).',
        'It may have had effects; check before you retry.',
        'Output so far:',
        'step 1\n',
      ].join('\n'),
    )
  })

  test('a retry of a read-only or idempotent tool is reported as safe', async () => {
    const { tool, call } = setUp()
    tool('look', [{ hang: true }], { readOnly: true, timeout: 10 })
    const result = await call('look')
    expect(result).toMatchObject({ retrySafe: true })
    expect(result.content).toContain('It is safe to retry.')
  })

  test('a retry of a call that had no effect is reported as safe', async () => {
    const { runtime, call } = setUp()
    runtime.register(
      defineTool({
        name: 'send',
        description: 'Send it.',
        execute() {
          throw new CurfewError('TRANSPORT_FAILED', 'connection refused', { hadNoEffect: true })
        },
      }),
    )
    const result = await call('send')
    expect(result).toMatchObject({ code: 'TRANSPORT_FAILED', retrySafe: true })
    expect(result.content).toBe('TRANSPORT_FAILED: connection refused.\nIt is safe to retry.')
  })

  test('a call without output ends at its idle limit', async () => {
    const { clock, tool, call } = setUp()
    tool('quiet', [{ output: 'a' }, { wait: 400 }, { output: 'b' }, { hang: true }], { idleTimeout: 500 })
    expect(await call('quiet')).toMatchObject({ code: 'TOOL_IDLE_TIMEOUT', output: 'ab' })
    expect(clock.now()).toBe(900)
  })

  test('progress extends the idle limit, never the total', async () => {
    const { clock, tool, call } = setUp()
    const steps = repeat(100, { wait: 400 }, { progress: { current: 1 } })
    tool('busy', steps, { idleTimeout: 500, timeout: 10_000 })
    expect(await call('busy')).toMatchObject({ code: 'TOOL_TIMEOUT', durationMs: 10_000 })
    expect(clock.now()).toBe(10_000)
  })

  test("a descendant's activity counts as its ancestors'", async () => {
    const { tool, call } = setUp()
    tool('inner', repeat(5, { wait: 300 }, { output: '.' }), { readOnly: true })
    tool('outer', [{ run: (context) => context.execute([{ id: 'i', name: 'inner' }]) }, { return: 'ok' }], {
      idleTimeout: 500,
    })
    expect(await call('outer')).toMatchObject({ status: 'success' })
  })

  test('the heartbeat does not count as activity', async () => {
    const { tool, call } = setUp({ heartbeat: 100 })
    tool('quiet', [{ hang: true }], { idleTimeout: 500 })
    expect(await call('quiet')).toMatchObject({ code: 'TOOL_IDLE_TIMEOUT', durationMs: 500 })
  })
})

describe('the source of the limit', () => {
  test.each([
    [{}, {}, undefined, 180_000, 'default'],
    [{ toolCallTimeout: '1m' }, {}, undefined, 60_000, 'toolCallTimeout'],
    [{ toolCallTimeout: '1m', timeouts: { function: '2m' } }, {}, undefined, 120_000, 'timeouts'],
    [{ toolCallTimeout: '1m' }, { timeout: '90s' }, undefined, 90_000, 'tool'],
    [{ toolCallTimeout: '1m' }, { timeout: '90s' }, 500, 500, 'call'],
    [{ maxToolCallTimeout: '1m' }, { timeout: '90s' }, undefined, 60_000, 'maxToolCallTimeout'],
  ] as const)('%j, tool %j, call %s', async (options, more, timeout, timeoutMs, timeoutSource) => {
    const { tool, call } = setUp(options)
    tool('x', [], more)
    expect(await call('x', timeout)).toMatchObject({ timeoutMs, timeoutSource })
  })

  test("a nested call gets at most its parent's remaining time", async () => {
    const { clock, runtime, tool, call } = setUp()
    const seen: number[] = []
    tool('inner', [{ run: ({ deadline }: ToolContext) => seen.push(deadline.remainingMs) }, { hang: true }])
    let inner: unknown
    tool('outer', [
      { wait: 400 },
      {
        run: async ({ execute }) => {
          ;[inner] = await execute([{ id: 'i', name: 'inner' }])
        },
      },
    ])
    expect(await call('outer', 1_000)).toMatchObject({ code: 'TOOL_TIMEOUT' })
    await clock.settle()
    expect(seen).toEqual([600])
    expect(inner).toMatchObject({ timeoutMs: 600, timeoutSource: 'parent' })
    expect(
      runtime.getSnapshot().calls.every(({ status }) => status === 'error' || status === 'cancelled'),
    ).toBe(true)
    expect(clock.pending).toBe(0)
  })

  test('deadline.remainingMs counts down', async () => {
    const { tool, call } = setUp()
    const seen: number[] = []
    const readRemaining: Step = { run: ({ deadline }: ToolContext) => seen.push(deadline.remainingMs) }
    tool('x', [readRemaining, { wait: 250 }, readRemaining])
    await call('x', 1_000)
    expect(seen).toEqual([1_000, 750])
  })
})

describe('the clock is paused while a person is prompted', () => {
  test('by runtime.pause', async () => {
    const { clock, runtime, tool } = setUp()
    let uid = 0
    const readUid: Step = { run: (context: ToolContext) => (uid = context.uid) }
    tool('waits', [readUid, { wait: 100 }, { wait: 60_000 }, { return: 'ok' }], { idleTimeout: 700 })
    const running = runtime.execute([{ id: 'c1', name: 'waits', timeout: 1_000 }])
    await clock.advance(50)
    const resume = runtime.pause(uid)
    await clock.advance(60_100)
    resume()
    const [result] = await clock.runUntil(running)
    expect(result).toMatchObject({ status: 'success', durationMs: 50 })
    expect(() => runtime.pause(uid)()).not.toThrow()
    expect(() => runtime.pause(12_345)()).not.toThrow()
  })

  test('by the call itself, for the total and the idle limit', async () => {
    const { clock, runtime, tool } = setUp()
    runtime.onQuestion(
      () =>
        new Promise((resolve) => {
          clock.setTimer(60_000, () => resolve({ text: 'blue' }))
        }),
    )
    tool('asks', [{ wait: 600 }, { ask: 'colour?' }, { wait: 300 }, { return: 'ok' }], { idleTimeout: 700 })
    const running = runtime.execute([{ id: 'c1', name: 'asks', timeout: 1_000 }])
    await clock.advance(30_000)
    expect(runtime.getSnapshot().calls[0]).toMatchObject({ paused: true, elapsedMs: 600 })
    const [result] = await clock.runUntil(running)
    expect(result).toMatchObject({ status: 'success', durationMs: 900 })
    expect(clock.now()).toBe(60_900)
  })

  test('by a descendant that needs approval', async () => {
    const { clock, runtime, tool } = setUp({
      approval: { default: 'allow', rules: { ask: ['inner'] } },
      ask: () =>
        new Promise((resolve) => {
          clock.setTimer(5_000, () => resolve('once'))
        }),
    })
    tool('inner', [{ wait: 300 }])
    tool('outer', [{ run: (context) => context.execute([{ id: 'i', name: 'inner' }]) }, { return: 'ok' }])
    const [result] = await clock.runUntil(runtime.execute([{ id: 'c1', name: 'outer', timeout: 1_000 }]))
    expect(result).toMatchObject({ status: 'success', durationMs: 300 })
    expect(clock.now()).toBe(5_300)
  })

  test('rejects an answer that is not one of the choices', async () => {
    const { clock, runtime } = setUp()
    runtime.onQuestion(() => ({ text: 'green' }))
    runtime.register(
      scriptedTool({
        clock,
        name: 'asks',
        script: [{ run: ({ ask }) => ask({ message: 'colour?', choices: ['red'] }) }],
      }),
    )
    const [result] = await clock.runUntil(runtime.execute([{ id: 'c1', name: 'asks' }]))
    expect(result).toMatchObject({ code: 'DENIED', message: expect.stringContaining('with one of red') })
  })

  test('an unanswered question expires, and the clock resumes', async () => {
    const { clock, tool, call, runtime } = setUp({ approvalTimeout: '1m' })
    runtime.onQuestion(() => new Promise(() => {}))
    tool('asks', [{ ask: 'colour?' }])
    expect(await call('asks', 1_000)).toMatchObject({ code: 'APPROVAL_EXPIRED' })
    expect(clock.now()).toBe(60_000)
  })

  test('the question of a cancelled call is withdrawn', async () => {
    const { clock, runtime, tool } = setUp()
    let withdrawn = false
    runtime.onQuestion(
      (_question, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            withdrawn = true
          })
        }),
    )
    tool('asks', [{ ask: 'colour?' }])
    const running = runtime.execute([{ id: 'c1', name: 'asks' }])
    await clock.advance(1_000)
    runtime.cancelAll()
    expect((await clock.runUntil(running))[0]).toMatchObject({ status: 'cancelled' })
    expect(withdrawn).toBe(true)
    expect(clock.pending).toBe(0)
  })

  test('without a question handler, context.ask rejects with DENIED', async () => {
    const { tool, call } = setUp()
    tool('asks', [{ ask: 'colour?' }])
    expect(await call('asks')).toMatchObject({
      code: 'DENIED',
      message: 'nobody is available to answer: colour?',
    })
  })
})

describe('heartbeat', () => {
  test('every running call logs a line every 30 s', async () => {
    const { clock, runtime, log, tool } = setUp()
    tool('long', [{ wait: 100_000 }])
    tool('short', [{ wait: 29_000 }])
    await clock.runUntil(
      runtime.execute([
        { id: 'a', name: 'short' },
        { id: 'b', name: 'long' },
      ]),
    )
    expect(log.map(({ message }) => message)).toEqual([
      'running name=long elapsed=30s/180s',
      'running name=long elapsed=60s/180s',
      'running name=long elapsed=90s/180s',
    ])
    expect(log[0]!.heartbeat).toEqual({ callId: 'b', elapsedMs: 30_000, timeoutMs: 180_000 })
    expect(clock.pending).toBe(0)
  })

  test("is an event with the call's meta", async () => {
    const { clock, runtime, tool } = setUp()
    tool('long', [{ wait: 70_000 }])
    const heartbeats: Parameters<Parameters<typeof runtime.onHeartbeat>[0]>[0][] = []
    const unsubscribe = runtime.onHeartbeat((heartbeat) => {
      heartbeats.push(heartbeat)
      unsubscribe()
    })
    await clock.runUntil(runtime.execute([{ id: 'a', name: 'long', meta: { progressToken: 7 } }]))
    expect(heartbeats).toEqual([
      { uid: 1, id: 'a', name: 'long', elapsedMs: 30_000, timeoutMs: 180_000, meta: { progressToken: 7 } },
    ])
  })

  test('a listener that throws is reported and does not break the call', async () => {
    const { clock, runtime, log, tool } = setUp()
    tool('long', [{ wait: 31_000 }, { return: 'done' }])
    runtime.onHeartbeat(() => {
      throw new Error('broken listener')
    })
    const [result] = await clock.runUntil(runtime.execute([{ id: 'a', name: 'long' }]))
    expect(result).toMatchObject({ status: 'success' })
    expect(log).toContainEqual(
      expect.objectContaining({ level: 'error', error: new Error('broken listener') }),
    )
  })
})

describe('close', () => {
  test('cancels all calls, and settles the rest after the grace period', async () => {
    const { clock, runtime, tool } = setUp({ concurrency: 2 })
    tool('polite', [{ hang: true }], { concurrent: true })
    tool('stubborn', [{ wait: 50_000 }], { concurrent: true, ignoresSignal: true })
    const running = runtime.execute(
      ['polite', 'stubborn', 'polite'].map((name, index) => ({ id: `${index}`, name })),
    )
    await clock.advance(1_000)
    const closing = runtime.close()
    const results = await clock.runUntil(running)
    await clock.runUntil(closing)
    expect(results).toMatchObject([
      { status: 'cancelled', code: 'CANCELLED' },
      { status: 'cancelled', code: 'RUNTIME_CLOSED', abandoned: true },
      { status: 'cancelled', code: 'CANCELLED' },
    ])
    expect(clock.now()).toBe(1_250)
  })

  test('is called by await using', async () => {
    const clock = createFakeClock()
    let result: unknown
    {
      await using runtime = createRuntime({ clock, approval: 'allow' })
      runtime.register(scriptedTool({ clock, script: [{ hang: true }] }))
      void runtime.execute([{ id: 'c1', name: 'scripted' }]).then((results) => {
        result = results[0]
      })
      await clock.advance(10)
    }
    expect(result).toMatchObject({ status: 'cancelled' })
  })
})
