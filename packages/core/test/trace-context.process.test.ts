import { createRuntime, defineTool, type ToolCall, timeoutTool } from '@curfew/core'
import { expect, test } from 'vitest'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentOf = (span: number) => `00-${trace}-${String(span).padStart(16, '0')}-01`

/** `report` returns its trace context, `nest` that of `report` inside. */
function setUp(outer?: ToolCall['outer']) {
  const runtime = createRuntime({ approval: 'allow', log: () => {}, outer })
  const report = defineTool({
    name: 'report',
    description: 'Report the trace context.',
    execute: (_params, { traceContext }) => traceContext,
  })
  const nest = defineTool({
    name: 'nest',
    description: 'Report the trace context of a nested call.',
    execute: async (_params, context) => (await context.execute([{ id: 'inner', name: 'report' }]))[0],
  })
  const module = new URL('./fixtures/thread-tools.js', import.meta.url)
  const thread = defineTool({
    name: 'thread',
    description: 'Report the trace context in a thread.',
    isolation: 'thread',
    execute: { module, export: 'traceContext' },
  })
  runtime.register(report, nest, thread, timeoutTool)
  const run = async (name: string, more: Partial<ToolCall> = {}) => {
    const [result] = await runtime.execute([{ id: 'a', name, ...more }])
    return result
  }
  return { runtime, run }
}

test('a call has the trace context of the call that requested it', async () => {
  await using runtime = setUp().runtime
  const calls = [
    { id: 'a', name: 'report', outer: { traceparent: parentOf(1), tracestate: 'a=b' } },
    { id: 'b', name: 'report', outer: { traceparent: 'invalid', tracestate: 'a=b' } },
    { id: 'c', name: 'report' },
  ]
  const values = (await runtime.execute(calls)).map((result) => result.status === 'success' && result.value)
  expect(values).toEqual([{ traceparent: parentOf(1), tracestate: 'a=b' }, null, null])
})

test('nested calls, threads and calls without a context of their own inherit it', async () => {
  const { runtime, run } = setUp({ traceparent: parentOf(1) })
  await using _ = runtime
  const outer = { traceparent: parentOf(2) }
  expect(await run('report')).toMatchObject({ value: { traceparent: parentOf(1) } })
  expect(await run('report', { outer })).toMatchObject({ value: outer })
  expect(await run('nest', { outer })).toMatchObject({ value: { value: outer } })
  expect(await run('thread', { outer })).toMatchObject({ value: outer })
})

test('middleware replaces it for the tool, for what is inside, and for inner middleware', async () => {
  const { runtime, run } = setUp({ traceparent: parentOf(1) })
  await using _ = runtime
  const seen: unknown[] = []
  runtime.use((call, next) => {
    call.setTraceContext({ traceparent: parentOf(call.uid + 100) })
    // Ignored.
    call.setTraceContext({ traceparent: 'invalid' })
    call.setTraceContext(null as never)
    return next()
  })
  runtime.use((call, next) => {
    seen.push(call.traceContext)
    return next()
  })
  runtime.onTransition(({ name, to, call }) => {
    if (name === 'report' && to === 'validating') seen.push(call.traceContext)
  })
  expect(await run('nest')).toMatchObject({ value: { value: { traceparent: parentOf(102) } } })
  expect(await run('thread')).toMatchObject({ value: { traceparent: parentOf(103) } })
  expect(seen).toEqual([101, 101, 102, 103].map((span) => ({ traceparent: parentOf(span) })))
})

test('a background task belongs to the same trace as the call that it continues', async () => {
  await using runtime = setUp().runtime
  runtime.register(
    defineTool({
      name: 'detach',
      description: 'Continue in the background.',
      execute: async (_params, context) => {
        await context.detach()
        return (await context.execute([{ id: 'inner', name: 'report' }]))[0]
      },
    }),
  )
  const ended = new Promise((resolve) => {
    runtime.onTransition(({ to, state, call }) => {
      if (to === 'success' && call.background && 'result' in state) resolve([state.result, call])
    })
  })
  await runtime.execute([{ id: 'a', name: 'detach', outer: { traceparent: parentOf(1) } }])
  expect(await ended).toMatchObject([
    { value: { value: { traceparent: parentOf(1) } } },
    { continues: 1, traceContext: { traceparent: parentOf(1) } },
  ])
})

test('a command gets it in its environment, and no other of these variables', async () => {
  const { runtime, run } = setUp()
  await using _ = runtime
  const script =
    'console.log(JSON.stringify([process.env.TRACEPARENT, process.env.TRACESTATE, process.env.BAGGAGE]))'
  const params = { command_args: [process.execPath, '-e', script], seconds: 30 }
  const outer = { traceparent: parentOf(1), tracestate: 'a=b', baggage: 'user=alice' }
  expect(await run('timeout', { params, outer })).toMatchObject({
    value: { stdout: `${JSON.stringify([parentOf(1), 'a=b', null])}\n` },
  })
  expect(await run('timeout', { params })).toMatchObject({ value: { stdout: '[null,null,null]\n' } })
})
