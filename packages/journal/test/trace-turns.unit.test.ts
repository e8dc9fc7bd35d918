import { CurfewError, createRuntime, defineTool } from '@curfew/core'
import { type TracedTurn, traceModel, traceRuntime, traceTurns } from '@curfew/journal/telemetry'
import { context, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api'
import { expect, test } from 'vitest'
import { kinds, recordSpans } from './support/record-spans.ts'

const turn = (more: Partial<TracedTurn> = {}): TracedTurn => ({
  agent: 'helper',
  conversation: 'c1',
  turn: 't1',
  model: { provider: 'google.generative-ai', modelId: 'gemini' },
  parentUid: null,
  usage: () => ({ inputTokens: 30, outputTokens: 10, cacheReadTokens: 5 }),
  ...more,
})

const model = {
  specificationVersion: 'v4',
  provider: 'google.generative-ai',
  modelId: 'gemini',
  supportedUrls: {},
  doGenerate: async () => ({}),
  doStream: async () => ({}),
} as const

const look = defineTool({ name: 'look', description: 'Look.', readOnly: true, execute: () => 'seen' })
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

test('a turn has a span and a metric that follow the GenAI conventions, around its requests and calls', async () => {
  await using recorder = recordSpans()
  await using runtime = createRuntime({ log: () => {} })
  runtime.register(look)
  traceRuntime(runtime, { session: () => 'session-1' })
  const conversation = runtime.conversation()
  const opened = conversation.turn()
  const traced = turn({ conversation: conversation.id, turn: opened.id })
  const end = await traceTurns(runtime)(traced, async () => {
    await traceModel(model).doGenerate()
    await opened.execute([{ id: 'a', name: 'look' }])
    return { reason: 'answer', message: null }
  })
  expect(end).toEqual({ reason: 'answer', message: null })
  expect(recorder.tree()).toEqual(['invoke_agent helper', '  chat gemini', '  execute_tool look'])
  const span = recorder.span('invoke_agent helper')
  expect(span.kind).toBe(kinds.INTERNAL)
  expect(span.status.code).toBe(SpanStatusCode.UNSET)
  expect(span.attributes).toEqual({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'helper',
    'gen_ai.provider.name': 'gcp.gemini',
    'gen_ai.request.model': 'gemini',
    'gen_ai.conversation.id': 'session-1',
    'gen_ai.usage.input_tokens': 30,
    'gen_ai.usage.output_tokens': 10,
    'gen_ai.usage.cache_read.input_tokens': 5,
    'curfew.agent.end_reason': 'answer',
  })
  for (const name of ['chat gemini', 'execute_tool look'])
    expect(recorder.span(name).attributes['gen_ai.conversation.id']).toBe('session-1')
  expect(recorder.span('execute_tool look').attributes['gen_ai.agent.name']).toBe('helper')
  expect(await recorder.metrics()).toMatchObject([
    { name: 'gen_ai.client.operation.duration' },
    {
      name: 'gen_ai.execute_tool.duration',
      attributes: { 'gen_ai.agent.name': 'helper', 'gen_ai.tool.name': 'look' },
    },
    { name: 'gen_ai.invoke_agent.duration', count: 1, attributes: { 'gen_ai.agent.name': 'helper' } },
  ])
})

test('an agent inside a call is inside its span, and its calls are inside its turn', async () => {
  await using recorder = recordSpans()
  await using runtime = createRuntime({ log: () => {}, approval: 'allow' })
  const traceTurn = traceTurns(runtime)
  traceRuntime(runtime)
  runtime.register(
    look,
    defineTool({
      name: 'delegate',
      description: 'Delegate.',
      // The async context is lost on the way, as in a library with a queue.
      execute: (_params, tool) =>
        context.with(trace.deleteSpan(context.active()), async () => {
          const conversation = tool.conversation()
          const opened = conversation.turn()
          const child = turn({
            agent: null,
            conversation: conversation.id,
            turn: opened.id,
            parentUid: tool.uid,
          })
          const { reason } = await traceTurn(child, async () => {
            await context.with(trace.deleteSpan(context.active()), () =>
              opened.execute([{ id: 'b', name: 'look' }]),
            )
            return { reason: 'answer' }
          })
          return reason
        }),
    }),
  )
  await runtime.execute([{ id: 'a', name: 'delegate' }])
  expect(recorder.tree()).toEqual(['execute_tool delegate', '  invoke_agent', '    execute_tool look'])
})

test('only a failure is an error', async () => {
  await using recorder = recordSpans()
  await using runtime = createRuntime({ log: () => {} })
  const traceTurn = traceTurns(runtime)
  const ends = [
    { reason: 'abort' },
    { reason: 'limit' },
    { reason: 'model-failure' },
    { reason: 'model-failure', failure: { kind: 'quota' } },
  ]
  for (const end of ends) await traceTurn(turn(), async () => end)
  const closed = new CurfewError('RUNTIME_CLOSED', 'the runtime is closed')
  await expect(traceTurn(turn(), () => Promise.reject(closed))).rejects.toBe(closed)
  const found = recorder.spans().map(({ attributes, status }) => [attributes['error.type'], status.code])
  expect(found).toEqual([
    [undefined, SpanStatusCode.UNSET],
    [undefined, SpanStatusCode.UNSET],
    ['model-failure', SpanStatusCode.ERROR],
    ['quota', SpanStatusCode.ERROR],
    ['RUNTIME_CLOSED', SpanStatusCode.ERROR],
  ])
})

test('the trace of the process around it counts unless a span is active', async () => {
  await using recorder = recordSpans()
  await using runtime = createRuntime({ log: () => {} })
  const traceTurn = traceTurns(runtime, { outer: { traceparent } })
  const run = () => traceTurn(turn(), async () => ({ reason: 'answer' }))
  await run()
  expect(recorder.spans()[0]!.parentSpanContext).toMatchObject({ spanId: '00f067aa0ba902b7', isRemote: true })
  await trace.getTracer('test').startActiveSpan('own', async (span) => {
    await run()
    span.end()
  })
  expect(recorder.spans()[1]!.parentSpanContext?.spanId).toBe(recorder.span('own').spanContext().spanId)
})

test('a call that a person types meanwhile is not part of the turn', async () => {
  await using recorder = recordSpans()
  await using runtime = createRuntime({ log: () => {} })
  runtime.register(look)
  traceRuntime(runtime)
  const conversation = runtime.conversation()
  const opened = conversation.turn()
  await traceTurns(runtime)(turn({ conversation: conversation.id, turn: opened.id }), async () => {
    await context.with(ROOT_CONTEXT, () =>
      conversation.turn({ origin: 'person' }).execute([{ id: 'a', name: 'look' }]),
    )
    return { reason: 'answer' }
  })
  expect(recorder.tree()).toEqual(['invoke_agent helper', 'execute_tool look'])
  expect(recorder.span('execute_tool look').attributes).not.toHaveProperty('gen_ai.agent.name')
})
