import { scriptedTool } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'
import { file, setUp } from './support/scheduling-setup.ts'

describe('which calls run concurrently', () => {
  test('at most eight concurrent calls by default', async () => {
    const { clock, tool, run, maxRunning } = setUp()
    tool('fetch', { concurrent: true })
    await run(...Array.from({ length: 20 }, () => 'fetch'))
    expect(maxRunning()).toBe(8)
    expect(clock.now()).toBe(300)
  })

  test('at most `concurrency` calls', async () => {
    const { clock, tool, run, maxRunning } = setUp({ concurrency: 3 })
    tool('fetch', { concurrent: true })
    await run(...Array.from({ length: 6 }, () => 'fetch'))
    expect(maxRunning()).toBe(3)
    expect(clock.now()).toBe(200)
  })

  test('calls to other tools run one at a time in call order, read-only or not', async () => {
    const { tool, run, events, maxRunning } = setUp()
    tool('read', { readOnly: true })
    tool('write')
    await run('read', 'write', 'read', 'read')
    expect(maxRunning()).toBe(1)
    expect(events).toEqual(['+read', '-read', '+write', '-write', '+read', '-read', '+read', '-read'])
  })

  test('results are in request order, whichever call ends first', async () => {
    const { tool, run } = setUp()
    tool('slow', { concurrent: true, duration: 500 })
    tool('fast', { concurrent: true, duration: 10 })
    const results = await run('slow', 'fast', 'nothing', 'slow', 'fast')
    expect(results.map(({ id, status }) => [id, status])).toEqual([
      ['c0', 'success'],
      ['c1', 'success'],
      ['c2', 'error'],
      ['c3', 'success'],
      ['c4', 'success'],
    ])
  })

  test('a later call never overtakes an earlier one that it could conflict with: [write a, read a]', async () => {
    const { tool, run, events } = setUp()
    tool('write')
    tool('read', { readOnly: true, concurrent: true, duration: 10 })
    await run('read', 'write', 'read', 'read')
    expect(events).toEqual(['+read', '-read', '+write', '-write', '+read', '+read', '-read', '-read'])
  })

  test('with resources, only calls that share a key wait for each other', async () => {
    const { clock, tool, run, events } = setUp()
    tool('write', { resources: file })
    await run(
      ['write', { path: 'a', label: 'a1' }],
      ['write', { path: 'b', label: 'b1' }],
      ['write', { path: 'a', label: 'a2' }],
    )
    expect(events).toEqual(['+a1', '+b1', '-a1', '+a2', '-b1', '-a2'])
    expect(clock.now()).toBe(200)
  })

  test('a call with an empty list of resources conflicts with nothing', async () => {
    const { clock, tool, run, events } = setUp()
    tool('write')
    tool('note', { resources: () => [], duration: 10 })
    await run('write', 'note', 'note', 'write', ['note', { label: 'last' }])
    expect(events).toEqual([
      '+write',
      '+note',
      '+note',
      '+last',
      '-note',
      '-note',
      '-last',
      '-write',
      '+write',
      '-write',
    ])
    expect(clock.now()).toBe(200)
  })

  test('a call whose resources are unknown is a barrier', async () => {
    const { tool, run, maxRunning } = setUp()
    tool('write', { resources: ({ path }) => (path === undefined ? undefined : [`file:${path}`]) })
    await run(['write', { path: 'a' }], 'write', ['write', { path: 'b' }])
    expect(maxRunning()).toBe(1)
  })

  test('a pending approval does not delay calls with an empty list of resources or other keys', async () => {
    const { clock, runtime, tool, events } = setUp({
      approval: { default: 'allow', rules: { ask: ['delete'] } },
      ask: (_question, { signal }) =>
        new Promise((resolve) => {
          const timer = clock.setTimer(5_000, () => resolve('once'))
          signal.addEventListener('abort', () => clock.clearTimer(timer))
        }),
    })
    tool('delete', { resources: file })
    tool('write', { resources: file })
    tool('note', { resources: () => [] })
    const running = runtime.execute([
      { id: '1', name: 'delete', params: { path: 'a' } },
      { id: '2', name: 'note' },
      { id: '3', name: 'write', params: { path: 'b', label: 'b' } },
      { id: '4', name: 'write', params: { path: 'a', label: 'a' } },
    ])
    await clock.advance(200)
    expect(events).toEqual(['+note', '+b', '-note', '-b'])
    const results = await clock.runUntil(running)
    expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'success', 'success'])
    expect(events.slice(4)).toEqual(['+delete', '-delete', '+a', '-a'])
  })

  test('two readers of one key run concurrently, and a writer waits for both', async () => {
    const { tool, run, events } = setUp()
    tool('read', { resources: file, readOnly: true, concurrent: true })
    tool('write', { resources: file })
    await run(
      ['read', { path: 'a' }],
      ['read', { path: 'a' }],
      ['write', { path: 'a' }],
      ['read', { path: 'a' }],
    )
    expect(events).toEqual(['+read', '+read', '-read', '-read', '+write', '-write', '+read', '-read'])
  })

  test('keys apply across batches; calls without keys wait only within their batch', async () => {
    const { clock, runtime, tool, events } = setUp()
    tool('keyed', { resources: file })
    tool('barrier')
    await clock.runUntil(
      Promise.all([
        runtime.execute([
          { id: '1', name: 'keyed', params: { path: 'a', label: 'first' } },
          { id: '2', name: 'barrier', params: { label: 'barrier1' } },
        ]),
        runtime.execute([{ id: '1', name: 'keyed', params: { path: 'a', label: 'second' } }]),
        runtime.execute([{ id: '1', name: 'barrier', params: { label: 'barrier2' } }]),
      ]),
    )
    expect(events.indexOf('+second')).toBeGreaterThan(events.indexOf('-first'))
    expect(events.indexOf('+barrier2')).toBeLessThan(events.indexOf('-first'))
  })

  test('a failed or cancelled call does not stop later ones', async () => {
    const { clock, runtime, tool, events } = setUp()
    tool('write')
    runtime.register(scriptedTool({ clock, name: 'fail', script: [{ throw: new Error('no') }] }))
    const running = runtime.execute(
      ['write', 'fail', 'write', 'write'].map((name, index) => ({ id: `c${index}`, name })),
    )
    await clock.advance(10)
    runtime.cancel('c2')
    const results = await clock.runUntil(running)
    expect(results.map(({ status }) => status)).toEqual(['success', 'error', 'cancelled', 'success'])
    expect(events).toEqual(['+write', '-write', '+write', '-write'])
  })

  test('after an abandoned writer, conflicting calls run with a warning', async () => {
    const { clock, runtime, tool } = setUp()
    runtime.register(
      scriptedTool({
        clock,
        name: 'stuck',
        timeout: 100,
        ignoresSignal: true,
        resources: file,
        script: [{ wait: 10_000 }],
      }),
    )
    tool('write', { resources: file })
    tool('note', { resources: () => [] })
    const calls = ['a', 'b'].map((path) => ({ id: path, name: 'write', params: { path } }))
    const [stuck, conflicting, other] = await clock.runUntil(
      runtime.execute([{ id: 'stuck', name: 'stuck', params: { path: 'a' } }, ...calls]),
    )
    const [note] = await clock.runUntil(runtime.execute([{ id: 'note', name: 'note' }]))
    expect(note!.notices).toEqual([])
    expect(stuck).toMatchObject({ code: 'TOOL_TIMEOUT', abandoned: true })
    expect(conflicting!.content).toContain('[curfew] An earlier call to stuck was abandoned')
    expect(other!.notices).toEqual([])
    await clock.advance(20_000)
    const [later] = await clock.runUntil(runtime.execute([calls[0]!]))
    expect(later!.notices).toEqual([])
  })
})

test('an abandoned call with an empty list of resources causes no warnings', async () => {
  const { clock, runtime, tool, run } = setUp()
  runtime.register(
    scriptedTool({
      clock,
      name: 'stuck',
      timeout: 100,
      ignoresSignal: true,
      resources: () => [],
      script: [{ wait: 10_000 }],
    }),
  )
  tool('write')
  const [stuck, write] = await run('stuck', 'write')
  expect(stuck).toMatchObject({ abandoned: true })
  expect(write!.notices).toEqual([])
  await clock.advance(20_000)
})

describe('waiting for a slot', () => {
  test('is bounded by queueTimeout', async () => {
    const { tool, run } = setUp({ concurrency: 1, queueTimeout: 150 })
    tool('fetch', { concurrent: true })
    const results = await run('fetch', 'fetch', 'fetch')
    expect(results.map((result) => ('code' in result ? result.code : result.status))).toEqual([
      'success',
      'success',
      'QUEUE_TIMEOUT',
    ])
    expect(results[2]!.content).toContain('waited 150 ms for one of 1 slots')
  })

  test('is not limited by default: 20 calls of 100 s with a limit of 180 s succeed', async () => {
    const { clock, tool, run } = setUp()
    tool('fetch', { concurrent: true, duration: 100_000 })
    const results = await run(...Array(20).fill('fetch'))
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['success']))
    expect(clock.now()).toBe(300_000)
    expect(clock.pending).toBe(0)
  })

  test('does not include waiting for an earlier conflicting call', async () => {
    const { tool, run } = setUp({ queueTimeout: 10 })
    tool('write')
    const results = await run('write', 'write', 'write')
    expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'success'])
  })
})

test('a chain of 20,000 waiting calls does not overflow the stack', async () => {
  const { clock, runtime } = setUp({
    limits: { callsPerTurn: 20_000 },
    breaker: { maxCallsPerWindow: 50_000 },
  })
  runtime.register(scriptedTool({ clock, name: 'write', script: [{ hang: true }] }))
  const controller = new AbortController()
  const calls = Array.from({ length: 20_000 }, (_, index) => ({ id: `${index}`, name: 'write' }))
  const running = runtime.execute(calls, { signal: controller.signal })
  await clock.settle()
  controller.abort()
  const results = await clock.runUntil(running)
  expect(results.every(({ status }) => status === 'cancelled')).toBe(true)
})
