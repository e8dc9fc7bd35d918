import { type CallDelta, createRuntime, defineTool, type RuntimeOptions } from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'

function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, approval: 'allow', log: () => {}, ...options })
  runtime.register(
    scriptedTool({ clock, name: 'quick', concurrent: true, script: [{ return: 'done' }] }),
    scriptedTool({ clock, name: 'hang', concurrent: true, script: [{ hang: true }] }),
  )
  const deltas: CallDelta[] = []
  const unsubscribe = runtime.subscribe((delta) => deltas.push(delta))
  return { clock, runtime, deltas, unsubscribe }
}

const calls = (count: number, name = 'quick') =>
  Array.from({ length: count }, (_, index) => ({ id: `${name}${index}`, name }))

describe('the store', () => {
  test('notifies at most once per turn of the event loop, with what changed', async () => {
    const { clock, runtime, deltas } = setUp()
    const results = await clock.runUntil(runtime.execute(calls(100)))
    expect(results.length).toBe(100)
    expect(deltas.length).toBeLessThanOrEqual(2)
    const last = new Map(deltas.flatMap(({ changed }) => changed).map((row) => [row.uid, row]))
    expect(last.size).toBe(100)
    expect([...last.values()].every(({ status }) => status === 'success')).toBe(true)
  })

  test('unchanged rows and snapshots keep their identity', async () => {
    const { clock, runtime } = setUp()
    void runtime.execute(calls(3, 'hang'))
    await clock.settle()
    const before = runtime.getSnapshot()
    expect(runtime.getSnapshot()).toBe(before)
    runtime.cancel('hang1')
    await clock.settle()
    const after = runtime.getSnapshot()
    expect(after).not.toBe(before)
    expect(after.calls.map((row, index) => row === before.calls[index])).toEqual([true, false, true])
    await runtime.close()
  })

  test('a change to one of 500 calls notifies of one row', async () => {
    const { clock, runtime, deltas } = setUp({ concurrency: 500 })
    void runtime.execute(calls(500, 'hang'))
    await clock.settle()
    deltas.length = 0
    runtime.cancel('hang7')
    await clock.settle()
    expect(deltas.map(({ changed }) => changed.map(({ id, status }) => [id, status]))).toEqual([
      [['hang7', 'cancelled']],
    ])
    await runtime.close()
  })

  test('live output is coalesced to the frame rate', async () => {
    const { clock, runtime, deltas } = setUp()
    const chunks = Array.from({ length: 100 }, (_, index) => [{ output: `${index},` }, { wait: 1 }]).flat()
    runtime.register(scriptedTool({ clock, name: 'emit', script: chunks }))
    await clock.runUntil(runtime.execute([{ id: 'e', name: 'emit' }]))
    await clock.settle()
    expect(deltas.length).toBeGreaterThan(5)
    expect(deltas.length).toBeLessThanOrEqual(100 / 16 + 3)
    const row = deltas.at(-1)!.changed[0]!
    expect(row.outputTail.endsWith('98,99,')).toBe(true)
    expect(row.outputLength).toBe(290)
  })

  test('a row contains the arguments, progress and timeout', async () => {
    const { clock, runtime } = setUp()
    runtime.register(
      scriptedTool({
        clock,
        name: 'work',
        timeout: 9_000,
        script: [{ progress: { current: 3, total: 5, message: 'x' } }, { hang: true }],
      }),
    )
    void runtime.execute([{ id: 'w', name: 'work', params: { a: 'text', b: { c: 1 }, d: [1, 2] } }])
    await clock.advance(2_000)
    runtime.cancel('unknown')
    expect(runtime.getSnapshot().calls[0]).toMatchObject({
      status: 'executing',
      args: 'a="text", b={…}, d=[2]',
      progress: { current: 3, total: 5, message: 'x' },
      startedAt: 0,
      timeoutMs: 9_000,
      timeoutSource: 'tool',
    })
    await runtime.close()
  })

  test('keeps the last 1,000 finished calls and reports those that were removed', async () => {
    const { clock, runtime, deltas } = setUp()
    for (let round = 0; round < 2; round++) {
      await clock.runUntil(runtime.execute(calls(600)))
      await clock.settle()
    }
    const { calls: rows } = runtime.getSnapshot()
    expect(rows.length).toBe(1_000)
    expect(rows[0]!.id).toBe('quick200')
    expect(deltas.flatMap(({ removed }) => removed).length).toBe(200)
  })

  test('a caller that blocks the event loop does not accumulate pending notifications', async () => {
    const { clock, runtime, deltas } = setUp()
    for (let i = 0; i < 5_000; i++) await runtime.execute([{ id: `${i}`, name: 'quick' }])
    expect(deltas).toEqual([])
    await clock.settle()
    expect(deltas.length).toBe(1)
    expect(deltas[0]!.changed.length).toBe(1_000)
    expect(deltas[0]!.removed).toEqual([])
  })

  test('a finished row does not keep large arguments or results alive', async () => {
    const { clock, runtime } = setUp()
    runtime.register(
      scriptedTool({
        clock,
        name: 'large',
        script: [
          { progress: { current: 1, message: 'm'.repeat(50_000) } },
          { output: 'o'.repeat(50_000) },
          { return: 'r'.repeat(50_000) },
        ],
      }),
    )
    await clock.runUntil(runtime.execute([{ id: 'l', name: 'large', params: { text: 'p'.repeat(50_000) } }]))
    expect(JSON.stringify(runtime.getSnapshot().calls[0]).length).toBeLessThan(6_000)
    // Its live output is in a file.
    await runtime.close()
  })

  test('a listener that throws is reported and does not break the call', async () => {
    const messages: string[] = []
    const { clock, runtime, deltas } = setUp({ log: ({ message }) => messages.push(message) })
    runtime.subscribe(() => {
      throw new Error('broken listener')
    })
    runtime.onTransition(() => {
      throw new Error('broken observer')
    })
    const [result] = await clock.runUntil(runtime.execute(calls(1)))
    await clock.settle()
    expect(result).toMatchObject({ status: 'success' })
    expect(messages).toContain('a listener of the call store failed')
    expect(messages).toContain('an observer of transitions failed')
    expect(deltas.length).toBeGreaterThan(0)
  })

  test('listeners are notified of late results, which belong to no row', async () => {
    const { clock, runtime, deltas } = setUp()
    runtime.register(
      scriptedTool({ clock, name: 'stubborn', timeout: 10, ignoresSignal: true, script: [{ wait: 5_000 }] }),
    )
    await clock.runUntil(runtime.execute([{ id: 's', name: 'stubborn' }]))
    await clock.settle()
    deltas.length = 0
    await clock.advance(10_000)
    expect(deltas).toMatchObject([{ changed: [], removed: [], opened: [], closed: [] }])
    expect(runtime.getSnapshot().late).toMatchObject({ abandonedRunning: 0, lateResults: 1 })
  })

  test('an unsubscribed listener is not notified, and without listeners nothing is scheduled', async () => {
    const { clock, runtime, deltas, unsubscribe } = setUp()
    unsubscribe()
    unsubscribe()
    void runtime.execute(calls(1, 'hang'))
    await clock.settle()
    expect(deltas).toEqual([])
    runtime.cancelAll()
    await clock.settle()
    expect(clock.pending).toBe(0)
    expect(runtime.getSnapshot().calls[0]!.status).toBe('cancelled')
  })

  test('a change to one of 1,000 rows replaces that row in the snapshot, and keeps the others', async () => {
    const { clock, runtime } = setUp({ concurrency: 1_000 })
    void runtime.execute(calls(1_000, 'hang'))
    await clock.settle()
    const before = runtime.getSnapshot().calls
    runtime.cancel('hang500')
    await clock.settle()
    const after = runtime.getSnapshot().calls
    expect(after.length).toBe(1_000)
    expect(after.filter((row, index) => row !== before[index]).map(({ id }) => id)).toEqual(['hang500'])
    expect(before[500]!.status).toBe('executing')
    expect(runtime.getSnapshot().calls).toBe(after)
    await runtime.close()
  })

  test('getCall returns the row of the snapshot, and nothing for a call that is no longer kept', async () => {
    const { clock, runtime } = setUp()
    await clock.runUntil(runtime.execute(calls(2)))
    const [first, second] = runtime.getSnapshot().calls
    expect(runtime.getCall(first!.uid)).toBe(first)
    expect(runtime.getCall(second!.uid)).toBe(second)
    expect(runtime.getCall(99)).toBe(undefined)
    expect(runtime.getCall('1' as never)).toBe(undefined)
    await clock.runUntil(runtime.execute(calls(999)))
    expect(runtime.getCall(first!.uid)).toBe(undefined)
    expect(runtime.getCall(second!.uid)).toBe(second)
  })

  test('subscribeCall notifies of one call only, once per turn of the event loop', async () => {
    const { clock, runtime, unsubscribe } = setUp()
    unsubscribe()
    void runtime.execute(calls(3, 'hang'))
    await clock.settle()
    const uid = runtime.getSnapshot().calls[1]!.uid
    const rows: string[] = []
    const stop = runtime.subscribeCall(uid, ({ id, status }) => rows.push(`${id} ${status}`))
    runtime.cancel('hang0')
    await clock.settle()
    expect(rows).toEqual([])
    runtime.cancel('hang1')
    expect(rows).toEqual([])
    await clock.settle()
    expect(rows).toEqual(['hang1 cancelled'])
    stop()
    stop()
    runtime.subscribeCall(99, () => rows.push('unknown'))()
    await runtime.close()
    expect(rows).toEqual(['hang1 cancelled'])
    expect(clock.pending).toBe(0)
  })

  test('subscribeCall coalesces output to the frame rate', async () => {
    const { clock, runtime, unsubscribe } = setUp()
    unsubscribe()
    const chunks = Array.from({ length: 100 }, (_, index) => [{ output: `${index},` }, { wait: 1 }]).flat()
    runtime.register(scriptedTool({ clock, name: 'emit', script: [{ wait: 1 }, ...chunks] }))
    const running = runtime.execute([{ id: 'e', name: 'emit' }])
    const lengths: number[] = []
    runtime.subscribeCall(runtime.getSnapshot().calls[0]!.uid, ({ outputLength }) =>
      lengths.push(outputLength),
    )
    await clock.runUntil(running)
    await clock.settle()
    expect(lengths.at(-1)).toBe(290)
    expect(lengths.length).toBeGreaterThan(5)
    expect(lengths.length).toBeLessThanOrEqual(100 / 16 + 4)
  })

  test('a listener of one call that throws is reported', async () => {
    const messages: string[] = []
    const { clock, runtime } = setUp({ log: ({ message }) => messages.push(message) })
    void runtime.execute(calls(1, 'hang'))
    await clock.settle()
    runtime.subscribeCall(runtime.getSnapshot().calls[0]!.uid, () => {
      throw new Error('broken listener')
    })
    runtime.cancelAll()
    await clock.settle()
    expect(messages).toContain('a listener of the call store failed')
  })

  test('the revision increases by one with every notification; snapshots and deltas carry it', async () => {
    const { clock, runtime, deltas } = setUp()
    const start = runtime.getSnapshot().revision
    for (let round = 0; round < 3; round++) {
      await clock.runUntil(runtime.execute(calls(2)))
      await clock.settle()
    }
    expect(deltas.length).toBeGreaterThan(2)
    expect(deltas.map(({ from, revision }) => [from, revision])).toEqual(
      deltas.map((_, index) => [start + index, start + index + 1]),
    )
    expect(runtime.getSnapshot().revision).toBe(start + deltas.length)
    const changes = runtime.changesSince(start)!
    expect(changes.changed).toEqual(runtime.getSnapshot().calls)
    expect(runtime.changesSince(start + deltas.length)).toMatchObject({ changed: [], removed: [] })
    expect(runtime.changesSince(start + deltas.length + 1)).toBe(null)
  })

  test('a row tells when the call was last active', async () => {
    const { clock, runtime } = setUp()
    const script = [
      { wait: 10 },
      { output: 'a\nb\n' },
      { wait: 20 },
      { progress: { current: 1 } },
      { wait: 30 },
    ]
    runtime.register(scriptedTool({ clock, name: 'emit', script }))
    const start = clock.wallTime()
    const done = runtime.execute([{ id: 'e', name: 'emit' }])
    const active = (): number => runtime.getSnapshot().calls[0]!.activeAt - start
    await clock.advance(5)
    expect(active()).toBe(0)
    await clock.advance(10)
    expect(active()).toBe(10)
    await clock.advance(20)
    expect(active()).toBe(30)
    await clock.runUntil(done)
    expect(runtime.getSnapshot().calls[0]).toMatchObject({ activeAt: start + 30, outputLines: 2 })
  })

  test('the arguments of a row are those that were sent, without defaults', async () => {
    const { clock, runtime } = setUp()
    const parameters = {
      type: 'object',
      properties: { command: { type: 'string' }, seconds: { type: 'number', default: 120 } },
    } as const
    runtime.register(
      defineTool({ name: 'run', description: 'Run.', readOnly: true, parameters, execute: (given) => given }),
    )
    const params = { command: 'x'.repeat(130) }
    await clock.runUntil(runtime.execute([{ id: 'r', name: 'run', params }]))
    expect(runtime.getSnapshot().calls[0]!.args).toBe(`command="${'x'.repeat(120)}…"`)
  })

  test('a row tells where a call belongs', async () => {
    const { clock, runtime } = setUp()
    await clock.runUntil(runtime.execute([...calls(2), { id: 'x', name: 'unknown' }], { turn: 't' }))
    await clock.runUntil(runtime.execute([{ ...calls(1)[0]!, meta: { progressToken: 7 } }]))
    const rows = runtime.getSnapshot().calls
    expect(rows.map(({ batch }) => batch)).toEqual([1, 1, 1, 2])
    expect(rows[0]).toMatchObject({
      conversation: 'default',
      turn: 't',
      adapter: 'function',
      server: null,
      title: null,
      meta: {},
      background: false,
      detachedTo: null,
      outputBytes: 0,
      pausedMs: 0,
    })
    expect(rows[2]).toMatchObject({ adapter: null })
    expect(rows[3]).toMatchObject({ meta: { progressToken: 7 } })
  })

  test("a row's meta is bounded", async () => {
    const { clock, runtime } = setUp()
    const meta = {
      trace: 't1',
      large: 'x'.repeat(100_000),
      list: Array.from({ length: 50_000 }, (_, i) => i),
    }
    await clock.runUntil(runtime.execute([{ ...calls(1)[0]!, meta }]))
    const row = runtime.getSnapshot().calls[0]!
    expect(row.meta.trace).toBe('t1')
    expect(JSON.stringify(row.meta).length).toBeLessThan(2_100)
  })
})
