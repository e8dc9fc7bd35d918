import { createRuntime, defineTool, type Runtime } from '@curfew/core'
import { flushTelemetry, traceModel, traceRuntime, traceTurns } from '@curfew/journal/telemetry'
import { context, diag, metrics, propagation, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api'
import type { SpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { recordSpans } from './support/record-spans.ts'

const fail = (): never => {
  throw new Error('telemetry is broken')
}

function traced(): Runtime {
  const runtime = createRuntime({ approval: 'allow', log: (entry) => expect(entry).toBeUndefined() })
  runtime.register(
    defineTool({ name: 'work', description: 'Work.', execute: (_params, { traceContext }) => traceContext }),
    defineTool({
      name: 'nest',
      description: 'Run another tool.',
      execute: async (_params, { execute }) => (await execute([{ id: 'inner', name: 'work' }]))[0]!.status,
    }),
  )
  traceRuntime(runtime, { content: true, session: fail })
  return runtime
}

const model = {
  specificationVersion: 'v4',
  provider: 'test.chat',
  modelId: 'test-1',
  supportedUrls: {},
  doGenerate: async () => ({ text: 'Hello' }),
  doStream: async () => ({ stream: new ReadableStream({ start: (controller) => controller.close() }) }),
} as const

const turn = {
  agent: 'helper',
  conversation: 'c1',
  turn: 't1',
  model,
  parentUid: null,
  usage: () => ({ inputTokens: 1, outputTokens: 1, cacheReadTokens: 0 }),
}

/** Everything works as it does without telemetry. */
async function expectNoEffect(): Promise<void> {
  await using runtime = traced()
  const runs = vi.fn()
  runtime.use((_call, next) => {
    runs()
    return next()
  })
  const results = await runtime.execute([
    { id: 'a', name: 'nest' },
    { id: 'b', name: 'missing' },
  ])
  expect(results).toMatchObject([{ value: 'success' }, { code: 'TOOL_NOT_FOUND' }])
  // Once each.
  expect(runs).toHaveBeenCalledTimes(2)
  expect(await traceModel(model).doGenerate()).toEqual({ text: 'Hello' })
  const { stream } = await traceModel(model).doStream()
  expect(await stream.getReader().read()).toMatchObject({ done: true })
  const next = vi.fn(async () => ({ reason: 'answer' }))
  expect(await traceTurns(runtime)(turn, next)).toEqual({ reason: 'answer' })
  expect(next).toHaveBeenCalledTimes(1)
}

const processor: SpanProcessor = {
  onStart() {},
  onEnd() {},
  forceFlush: async () => {},
  shutdown: async () => {},
}

afterEach(() => {
  for (const api of [trace, metrics, context, propagation, diag]) api.disable()
})

describe('calls, turns and models are not affected by', () => {
  test.each([
    ['start', { onStart: fail }],
    ['end', { onEnd: fail }],
  ])('a span processor that throws at the %s', async (_when, broken) => {
    await using _recorder = recordSpans({ ...processor, ...broken })
    await expectNoEffect()
  })

  test('a tracer that throws', async () => {
    trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan: fail, startActiveSpan: fail }) })
    await expectNoEffect()
  })

  test('a provider that throws', async () => {
    trace.setGlobalTracerProvider({ getTracer: fail })
    await expectNoEffect()
  })

  test('spans that throw', async () => {
    const span = new Proxy({}, { get: (_target, key) => (key === 'then' ? undefined : fail) }) as Span
    trace.setGlobalTracerProvider({
      getTracer: () => ({ startSpan: () => span, startActiveSpan: fail }),
    })
    await expectNoEffect()
  })

  test('a meter that throws', async () => {
    metrics.setGlobalMeterProvider({ getMeter: fail })
    await expectNoEffect()
  })

  test('a propagator that throws, or injects something else', async () => {
    await using _recorder = recordSpans()
    propagation.disable()
    propagation.setGlobalPropagator({ inject: fail, extract: fail, fields: () => [] })
    await expectNoEffect()
    propagation.disable()
    propagation.setGlobalPropagator({
      inject: (_context, carrier, setter) => {
        setter.set(carrier, 'traceparent', 'evil\r\nx-injected: 1')
        setter.set(carrier, 'baggage', 'user=alice')
      },
      extract: () => ROOT_CONTEXT,
      fields: () => ['traceparent'],
    })
    await using runtime = traced()
    expect(await runtime.execute([{ id: 'a', name: 'work' }])).toMatchObject([{ value: null }])
  })

  test.each([
    ['before', (_run: () => unknown) => fail()],
    ['after', (run: () => unknown) => [run(), fail()][1]],
    ['without', (_run: () => unknown) => undefined],
  ])('a context manager that throws %s it runs a function', async (_when, run) => {
    context.setGlobalContextManager({
      active: fail,
      with: (_context, callback, self, ...args) => run(() => callback.call(self as never, ...args)) as never,
      bind: fail,
      enable: fail,
      disable() {
        return this
      },
    })
    await expectNoEffect()
  })
})

test('the first problem is reported to the diagnostics of OpenTelemetry', async () => {
  const error = vi.fn()
  diag.setLogger({ error, warn() {}, info() {}, debug() {}, verbose() {} })
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan: fail, startActiveSpan: fail }) })
  await using runtime = traced()
  for (let i = 0; i < 3; i++) await runtime.execute([{ id: 'a', name: 'work' }])
  expect(error).toHaveBeenCalledTimes(1)
  expect(error.mock.calls[0]![0]).toContain('curfew')
})

test('an error of the request stays the same, and it is sent once', async () => {
  await using _recorder = recordSpans()
  const failure = new Error('no')
  const doGenerate = vi.fn(() => {
    throw failure
  })
  await expect(traceModel({ ...model, doGenerate }).doGenerate()).rejects.toBe(failure)
  expect(doGenerate).toHaveBeenCalledTimes(1)
})

test.each([
  ['throws', fail],
  ['rejects', () => Promise.reject(new Error('telemetry is broken'))],
  ['never ends', () => new Promise<void>(() => {})],
])('an export that %s does not keep a program from ending', async (_how, forceFlush) => {
  const provider = { getTracer: fail, forceFlush, getMeter: fail }
  trace.setGlobalTracerProvider(provider)
  metrics.setGlobalMeterProvider(provider)
  await flushTelemetry(20)
})

test('what the SDK has collected is exported', async () => {
  const flushed = vi.fn(async () => {})
  await using _recorder = recordSpans({ ...processor, forceFlush: flushed })
  await flushTelemetry(60_000)
  expect(flushed).toHaveBeenCalledTimes(1)
})
