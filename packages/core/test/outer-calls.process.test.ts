import { createRuntime, defineTool, type RuntimeOptions, type ToolCall } from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'

/** `report` returns its depth and limit, `nest` runs `report` inside, `hang` never ends. */
function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, log: () => {}, approval: 'allow', ...options })
  runtime.register(
    defineTool({
      name: 'report',
      description: 'Report.',
      execute: (_params, { depth, deadline }) => [depth, Math.round(deadline.timeoutMs), deadline.source],
    }),
    defineTool({
      name: 'nest',
      description: 'Nest.',
      execute: async (_params, context) => (await context.execute([call('report')]))[0],
    }),
    scriptedTool({ clock, name: 'hang', script: [{ hang: true }] }),
  )
  const run = async (...calls: ToolCall[]) => await clock.runUntil(runtime.execute(calls))
  return { clock, runtime, run }
}

const call = (name: string, more: Partial<ToolCall> = {}): ToolCall => ({ id: name, name, ...more })

describe('a runtime inside a call of another process', () => {
  test('its calls are nested in that call', async () => {
    const { run } = setUp({ outer: { depth: 3 } })
    expect(await run(call('report'))).toMatchObject([{ value: [3, 180_000, 'default'] }])
    expect(await run(call('nest'))).toMatchObject([{ value: { value: [4, 180_000, 'default'] } }])
  })

  test('the depth limit counts the levels outside', async () => {
    const { run } = setUp({ outer: { depth: 3 }, limits: { depth: 3 } })
    expect(await run(call('report'))).toMatchObject([{ status: 'success' }])
    expect(await run(call('nest'))).toMatchObject([{ value: { code: 'LIMIT_EXCEEDED' } }])
  })

  test('its calls end with that call', async () => {
    const { run, clock } = setUp({ outer: { remainingMs: 5_000 } })
    const start = clock.now()
    expect(await run(call('hang'))).toMatchObject([{ code: 'TOOL_TIMEOUT', timeoutSource: 'parent' }])
    expect(clock.now() - start).toBeLessThan(5_500)
    // There is no time left at all.
    expect(await run(call('hang'))).toMatchObject([{ code: 'TOOL_TIMEOUT', timeoutMs: 1 }])
  })

  test.each([
    [{ depth: -1 }, 'outer.depth'],
    [{ depth: 1.5 }, 'outer.depth'],
    [{ remainingMs: Number.NaN }, 'outer.remainingMs'],
    ['3', 'outer'],
  ])('%j is rejected', (outer, field) => {
    expect(() => createRuntime({ outer: outer as RuntimeOptions['outer'] })).toThrowError(
      expect.objectContaining({ code: 'INVALID_OPTION', field }),
    )
  })
})

describe('a single call that another process requested', () => {
  test('is nested in its call, and so is everything inside', async () => {
    const { run } = setUp({ outer: { depth: 1 } })
    const outer = { depth: 2, remainingMs: 30_000 }
    expect(await run(call('report', { outer }))).toMatchObject([{ value: [3, 30_000, 'parent'] }])
    expect(await run(call('nest', { outer }))).toMatchObject([{ value: { value: [4, 30_000, 'parent'] } }])
    expect(await run(call('report'))).toMatchObject([{ value: [1, 180_000, 'default'] }])
  })

  test('a shorter timeout of its own applies', async () => {
    const { run } = setUp()
    const outer = { remainingMs: 30_000 }
    expect(await run(call('report', { outer, timeout: '5s' }))).toMatchObject([{ value: [0, 5_000, 'call'] }])
  })

  test('beyond the depth limit, it does not run', async () => {
    const { run } = setUp({ limits: { depth: 2 } })
    expect(await run(call('report', { outer: { depth: 3 } }))).toMatchObject([{ code: 'LIMIT_EXCEEDED' }])
  })
})

describe('reserve', () => {
  function withChild(reserve: number) {
    const parts = setUp()
    parts.runtime.register(
      defineTool({
        name: 'child',
        description: 'Run a conversation.',
        timeout: '60s',
        execute: async (_params, context) => {
          const conversation = context.conversation({ reserve })
          const [result] = await conversation.turn().execute([call('hang')])
          const [nested] = await conversation.turn().execute([call('nest')])
          return [result!.timeoutMs, Object(nested!).value.value[1], Math.round(context.deadline.remainingMs)]
        },
      }),
    )
    return parts
  }

  test('the calls of a conversation leave time for the call that it runs inside', async () => {
    const { run } = withChild(20_000)
    const [result] = await run(call('child'))
    expect(result).toMatchObject({ value: [40_000, 1, 20_000] })
  })
})

test('the depth is known in a thread, too', async () => {
  const runtime = createRuntime({ approval: 'allow', outer: { depth: 2 } })
  const module = new URL('./fixtures/depth-tool.js', import.meta.url)
  runtime.register(
    defineTool({ name: 'thread', description: 'Report.', isolation: 'thread', execute: { module } }),
  )
  expect(await runtime.execute([call('thread')])).toMatchObject([{ value: 2 }])
  await runtime.close()
})
