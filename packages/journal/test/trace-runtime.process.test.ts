import {
  CredentialRequiredError,
  createRuntime,
  defineTool,
  type RuntimeOptions,
  type Vault,
} from '@curfew/core'
import { traceRuntime } from '@curfew/journal/telemetry'
import { context, SpanStatusCode, trace } from '@opentelemetry/api'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { deferred, kinds, recordSpans } from './support/record-spans.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${spanId}-01`

function setUp(options: RuntimeOptions = {}) {
  const runtime = createRuntime({ approval: 'allow', log: () => {}, ...options })
  runtime.register(
    defineTool({
      name: 'report',
      description: 'Report the trace context.',
      readOnly: true,
      execute: (_params, { traceContext }) => traceContext,
    }),
    defineTool({
      name: 'nest',
      description: 'Run another tool.',
      execute: async (_params, context) => await context.execute([{ id: 'inner', name: 'report' }]),
    }),
    defineTool({
      name: 'fail',
      description: 'Fail.',
      execute: () => {
        throw new Error('it broke')
      },
    }),
  )
  return runtime
}

const echo = defineTool({
  name: 'echo',
  description: 'Echo.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => text,
})

test('a call has a span and a metric that follow the GenAI conventions', async () => {
  await using recorder = recordSpans()
  await using runtime = setUp()
  traceRuntime(runtime)
  await runtime.execute([{ id: 'call-1', name: 'report', timeout: 5_000 }])
  const span = recorder.span('execute_tool report')
  expect(span.kind).toBe(kinds.INTERNAL)
  expect(span.status.code).toBe(SpanStatusCode.UNSET)
  expect(span.instrumentationScope.name).toBe('@curfew/journal')
  expect(span.attributes).toEqual({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'report',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': 'call-1',
    'gen_ai.conversation.id': expect.stringMatching(/^[\da-f]{12}-default$/),
    'curfew.call.uid': 1,
    'curfew.tool.adapter': 'function',
    'curfew.timeout_ms': 5_000,
    'curfew.timeout_source': 'call',
    'curfew.allowed_by': 'readOnly',
    'curfew.waited_ms': expect.any(Number),
  })
  const [metric, ...others] = await recorder.metrics()
  expect(others).toEqual([])
  expect(metric).toMatchObject({
    name: 'gen_ai.execute_tool.duration',
    attributes: { 'gen_ai.tool.name': 'report', 'gen_ai.tool.type': 'function' },
    count: 1,
    boundaries: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  })
  const [seconds, nanoseconds] = span.duration
  expect(metric!.sum).toBeCloseTo(seconds + nanoseconds / 1e9, 1)
})

test('a failed call has its code as error.type', async () => {
  await using recorder = recordSpans()
  await using runtime = setUp()
  traceRuntime(runtime)
  await runtime.execute([{ id: 'a', name: 'fail' }])
  const span = recorder.span('execute_tool fail')
  expect(span.status).toEqual({ code: SpanStatusCode.ERROR })
  expect(span.attributes).toMatchObject({ 'error.type': 'TOOL_FAILED' })
  expect(await recorder.metrics()).toMatchObject([{ attributes: { 'error.type': 'TOOL_FAILED' } }])
})

test('a call that never runs has a span that ends at once, and no duration', async () => {
  await using recorder = recordSpans()
  await using runtime = setUp({ approval: { default: 'allow', rules: { deny: ['fail'] } } })
  traceRuntime(runtime)
  await runtime.execute([
    { id: 'a', name: 'fail' },
    { id: 'b', name: 'missing' },
    { id: 'c', name: 'report', params: [] },
  ])
  const found = recorder
    .spans()
    .map(({ name, attributes, status }) => [name, attributes['error.type'], status.code])
  expect(found.toSorted()).toEqual([
    ['execute_tool fail', 'DENIED', SpanStatusCode.ERROR],
    ['execute_tool missing', 'TOOL_NOT_FOUND', SpanStatusCode.ERROR],
    ['execute_tool report', 'INVALID_PARAMS', SpanStatusCode.ERROR],
  ])
  expect(await recorder.metrics()).toEqual([])
})

test('a span starts with the tool; waiting for approval and for a person are attributes', async () => {
  await using recorder = recordSpans()
  const asked = deferred<void>()
  await using runtime = setUp({
    approval: 'ask',
    ask: async (question) => {
      if (question.kind !== 'approval') return { text: 'blue' }
      await asked.promise
      return 'once'
    },
  })
  runtime.register(
    defineTool({
      name: 'paint',
      description: 'Paint.',
      execute: async (_params, context) => await context.ask({ message: 'Which colour?' }),
    }),
  )
  traceRuntime(runtime)
  const done = runtime.execute([{ id: 'a', name: 'paint' }])
  const before = performance.now()
  await until(() => performance.now() - before > 30)
  expect(recorder.open.size).toBe(0)
  asked.resolve()
  await done
  const { attributes } = recorder.span('execute_tool paint')
  expect(attributes['curfew.allowed_by']).toBe('answer')
  expect(attributes['curfew.approval_ms']).toBeGreaterThan(20)
  expect(attributes['curfew.waited_ms']).toBeGreaterThanOrEqual(attributes['curfew.approval_ms'] as number)
})

test('stubs that are loaded are not executions', async () => {
  await using recorder = recordSpans()
  await using runtime = setUp({ view: 'stub' })
  traceRuntime(runtime)
  runtime.register(echo)
  await runtime.execute([{ id: 'a', name: 'echo' }])
  expect(recorder.span('execute_tool echo').attributes['curfew.loaded']).toBe(true)
  expect(await recorder.metrics()).toEqual([])
})

describe('parents', () => {
  test('the active span of the caller, also if the call has to wait', async () => {
    await using recorder = recordSpans()
    await using runtime = setUp({ concurrency: 1 })
    traceRuntime(runtime)
    const tracer = trace.getTracer('test')
    const run = (name: string) =>
      tracer.startActiveSpan(name, async (span) => {
        await runtime.execute([{ id: name, name: 'report' }])
        span.end()
      })
    await Promise.all([run('first'), run('second')])
    expect(recorder.tree()).toEqual(['first', '  execute_tool report', 'second', '  execute_tool report'])
  })

  test('the call that a nested call runs inside, or a span inside of it', async () => {
    await using recorder = recordSpans()
    await using runtime = setUp()
    traceRuntime(runtime)
    runtime.register(
      defineTool({
        name: 'spans',
        description: 'Run another tool in a span.',
        execute: async (_params, { execute }) =>
          await trace.getTracer('tool').startActiveSpan('own', async (span) => {
            const results = await execute([{ id: 'inner', name: 'nest' }])
            span.end()
            return results
          }),
      }),
      defineTool({
        name: 'lost',
        description: 'Run another tool in a lost async context.',
        execute: async (_params, { uid }) =>
          await context.with(trace.deleteSpan(context.active()), () =>
            runtime.execute([{ id: 'inner', name: 'report' }], { parent: uid }),
          ),
      }),
    )
    await runtime.execute([{ id: 'a', name: 'spans' }])
    await runtime.execute([{ id: 'b', name: 'lost' }])
    expect(recorder.tree()).toEqual([
      'execute_tool spans',
      '  own',
      '    execute_tool nest',
      '      execute_tool report',
      'execute_tool lost',
      '  execute_tool report',
    ])
  })

  test('what the caller sent, with a link to the active span', async () => {
    await using recorder = recordSpans()
    await using runtime = setUp()
    traceRuntime(runtime)
    const transport = trace.getTracer('test').startSpan('POST /mcp')
    await context.with(trace.setSpan(context.active(), transport), () =>
      runtime.execute([{ id: 'a', name: 'nest', outer: { traceparent, tracestate: 'vendor=1' } }]),
    )
    const span = recorder.span('execute_tool nest')
    expect(span.parentSpanContext).toMatchObject({ traceId, spanId, isRemote: true })
    expect(span.spanContext().traceId).toBe(traceId)
    expect(span.links.map((link) => link.context.spanId)).toEqual([transport.spanContext().spanId])
    expect(recorder.span('execute_tool report')).toMatchObject({
      parentSpanContext: { spanId: span.spanContext().spanId },
      links: [],
    })
  })

  test('an invalid context of the caller is ignored', async () => {
    await using recorder = recordSpans()
    await using runtime = setUp()
    traceRuntime(runtime)
    await runtime.execute([{ id: 'a', name: 'report', outer: { traceparent: '00-zz-1-01' } }])
    expect(recorder.span('execute_tool report').parentSpanContext).toBeUndefined()
  })
})

test('the span is active inside the tool, and what it passes on belongs to it', async () => {
  await using recorder = recordSpans()
  await using runtime = setUp()
  const seen: (string | undefined)[] = []
  runtime.register(
    defineTool({
      name: 'look',
      description: 'Read the active span.',
      async execute(_params, { traceContext }) {
        seen.push(trace.getActiveSpan()?.spanContext().spanId)
        await undefined
        seen.push(
          trace.getActiveSpan()?.spanContext().spanId,
          traceContext?.traceparent,
          traceContext?.tracestate,
        )
      },
    }),
  )
  traceRuntime(runtime)
  await runtime.execute([{ id: 'a', name: 'look', outer: { traceparent, tracestate: 'vendor=1' } }])
  const own = recorder.span('execute_tool look').spanContext().spanId
  expect(seen).toEqual([own, own, `00-${traceId}-${own}-01`, 'vendor=1'])
})

test('threads get the context of the span', async () => {
  await using recorder = recordSpans()
  await using runtime = setUp()
  const module = new URL('./fixtures/traced-thread.mjs', import.meta.url)
  runtime.register(
    defineTool({
      name: 'thread',
      description: 'Run in a thread.',
      isolation: 'thread',
      execute: { module, export: 'run' },
    }),
  )
  traceRuntime(runtime)
  const [result] = await runtime.execute([{ id: 'a', name: 'thread' }])
  const outer = recorder.span('execute_tool thread').spanContext()
  const nested = recorder.span('execute_tool report')
  expect(nested.parentSpanContext?.spanId).toBe(outer.spanId)
  expect(result).toMatchObject({
    value: [
      `00-${outer.traceId}-${outer.spanId}-01`,
      `00-${outer.traceId}-${nested.spanContext().spanId}-01`,
    ],
  })
})

test('a retry with another key is an event of the same span', async () => {
  await using recorder = recordSpans()
  const values = new Map([['KEY', 'old-secret-value']])
  const vault: Vault = {
    canStore: true,
    read: async (name) => ({ kind: 'found', value: values.get(name)! }),
    store: async (name, value) => void values.set(name, value),
    allow: async () => {},
  }
  await using runtime = setUp({ vault, ask: () => ({ secret: 'new-secret-value' }) })
  runtime.register(
    defineTool({
      name: 'fetch',
      description: 'Fetch.',
      secrets: ['KEY'],
      idempotent: true,
      async execute(_params, { secret }) {
        if ((await secret('KEY')) === 'new-secret-value') return 'ok'
        throw new CredentialRequiredError('rejected', { key: 'KEY', reason: 'rejected', retrySafe: true })
      },
    }),
  )
  traceRuntime(runtime, { content: true })
  const [result] = await runtime.execute([{ id: 'a', name: 'fetch' }])
  expect(result).toMatchObject({ status: 'success' })
  const span = recorder.span('execute_tool fetch')
  expect(span.events.map(({ name, attributes }) => [name, attributes])).toEqual([
    ['curfew.retry', { 'curfew.attempt': 2 }],
  ])
  expect(span.status.code).toBe(SpanStatusCode.UNSET)
})

test('a background task has a span of its own, with a link to the call that it continues', async () => {
  await using recorder = recordSpans()
  await using runtime = setUp()
  const goOn = deferred<void>()
  runtime.register(
    defineTool({
      name: 'serve',
      description: 'Continue in the background.',
      execute: async (_params, context) => {
        await context.detach()
        await goOn.promise
        return await context.execute([{ id: 'inner', name: 'report' }])
      },
    }),
  )
  traceRuntime(runtime)
  await trace.getTracer('test').startActiveSpan('turn', async (turn) => {
    await runtime.execute([{ id: 'a', name: 'serve' }])
    turn.end()
  })
  const call = recorder.span('execute_tool serve')
  expect(call.attributes['curfew.detached_to']).toBe(2)
  expect(recorder.open.size).toBe(1)
  goOn.resolve()
  await until(() => recorder.open.size === 0)
  const task = recorder.spans().find(({ attributes }) => attributes['curfew.background'] === true)!
  expect(task.links.map((link) => link.context.spanId)).toEqual([call.spanContext().spanId])
  expect(recorder.tree()).toEqual([
    'turn',
    '  execute_tool serve',
    '  execute_tool serve',
    '    execute_tool report',
  ])
})

test('the late end of an abandoned tool adds nothing', async () => {
  await using recorder = recordSpans()
  await using runtime = setUp({ grace: 1 })
  const late = deferred<string>()
  runtime.register(
    defineTool({
      name: 'stubborn',
      description: 'Ignore the signal.',
      timeout: 5,
      execute: () => late.promise,
    }),
  )
  traceRuntime(runtime)
  await runtime.execute([{ id: 'a', name: 'stubborn' }])
  const ended = new Promise((resolve) => runtime.onLateEnd(resolve))
  late.resolve('late')
  await ended
  expect(recorder.spans()).toHaveLength(1)
  expect(recorder.span('execute_tool stubborn').attributes).toMatchObject({
    'error.type': 'TOOL_TIMEOUT',
    'curfew.abandoned': true,
  })
})

test('cancelled calls end their spans', async () => {
  await using recorder = recordSpans()
  await using runtime = setUp()
  runtime.register(
    defineTool({
      name: 'wait',
      description: 'Wait.',
      execute: (_params, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    }),
  )
  traceRuntime(runtime)
  const done = runtime.execute([{ id: 'a', name: 'wait' }])
  await until(() => recorder.open.size === 1)
  runtime.cancelAll()
  await done
  expect(recorder.span('execute_tool wait').attributes['error.type']).toBe('CANCELLED')
})

describe('content', () => {
  test('is recorded on request only, shortened', async () => {
    await using recorder = recordSpans()
    await using runtime = setUp()
    runtime.register(echo)
    const stop = traceRuntime(runtime)
    await runtime.execute([{ id: 'a', name: 'echo', params: { text: 'hidden' } }])
    expect(JSON.stringify(recorder.spans().map(({ attributes }) => attributes))).not.toMatch(/hidden|Echo/)
    stop()
    traceRuntime(runtime, { content: true })
    await runtime.execute([
      { id: 'b', name: 'echo', params: { text: 'shown' } },
      { id: 'c', name: 'echo', params: { text: 'x'.repeat(100_000) } },
      { id: 'd', name: 'fail' },
    ])
    const [, shown, long, failed] = recorder.spans()
    expect(shown!.attributes).toMatchObject({
      'gen_ai.tool.description': 'Echo.',
      'gen_ai.tool.call.arguments': '{"text":"shown"}',
      'gen_ai.tool.call.result': 'shown',
    })
    expect(String(long!.attributes['gen_ai.tool.call.arguments'])).toHaveLength(8_192)
    expect(String(long!.attributes['gen_ai.tool.call.result'])).toHaveLength(8_192)
    expect(failed!.attributes).not.toHaveProperty('gen_ai.tool.call.result')
    expect(failed!.status.message).toContain('it broke')
  })

  test('names that others choose are shortened', async () => {
    await using recorder = recordSpans()
    await using runtime = setUp()
    traceRuntime(runtime, { session: () => 's'.repeat(1_000) })
    await runtime.execute([{ id: 'i'.repeat(10_000), name: 'n'.repeat(10_000) }])
    const [span] = recorder.spans()
    for (const value of Object.values(span!.attributes)) expect(String(value).length).toBeLessThanOrEqual(256)
    expect(span!.name.length).toBeLessThan(300)
  })
})

test('after it is stopped, nothing is recorded and no span is open', async () => {
  await using recorder = recordSpans()
  await using runtime = setUp()
  const stop = traceRuntime(runtime)
  const release = deferred<void>()
  runtime.register(defineTool({ name: 'hold', description: 'Wait.', execute: () => release.promise }))
  const done = runtime.execute([{ id: 'a', name: 'hold' }])
  await until(() => recorder.open.size === 1)
  stop()
  expect(recorder.open.size).toBe(0)
  release.resolve()
  await done
  await runtime.execute([{ id: 'b', name: 'report' }])
  expect(recorder.spans()).toHaveLength(1)
})

test('without an SDK, what the caller sent is passed on unchanged', async () => {
  await using runtime = setUp()
  traceRuntime(runtime)
  const outer = { traceparent, tracestate: 'vendor=1' }
  expect(await runtime.execute([{ id: 'a', name: 'report', outer }])).toMatchObject([{ value: outer }])
})
