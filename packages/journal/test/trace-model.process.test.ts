import { traceModel } from '@curfew/journal/telemetry'
import { SpanStatusCode, trace } from '@opentelemetry/api'
import { describe, expect, test } from 'vitest'
import { collectGarbage } from '../../../test/support/collect-garbage.ts'
import { until } from '../../../test/support/until.ts'
import { kinds, recordSpans } from './support/record-spans.ts'

type Part = Readonly<Record<string, unknown>>

const usage = { inputTokens: { total: 12, cacheRead: 4 }, outputTokens: { total: 5 } }
const finish = { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'end_turn' } }
const parts: readonly Part[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'response-metadata', id: 'response-1', modelId: 'test-1-2026' },
  { type: 'text-delta', id: '1', delta: 'Hello' },
  finish,
]

interface StreamOptions {
  readonly abortSignal?: AbortSignal
  readonly temperature?: number
  readonly maxOutputTokens?: number
}

interface FakeModel {
  readonly specificationVersion: 'v4'
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: Record<string, never>
  doGenerate(options: StreamOptions): Promise<object>
  doStream(options: StreamOptions): Promise<{ readonly stream: ReadableStream<Part> }>
}

function fakeModel(more: Partial<FakeModel> = {}): FakeModel {
  return {
    specificationVersion: 'v4',
    provider: 'anthropic.messages',
    modelId: 'test-1',
    supportedUrls: {},
    doGenerate: async () => ({
      response: { id: 'response-2', modelId: 'test-1-2026' },
      usage,
      finishReason: { unified: 'tool-calls' },
    }),
    doStream: async () => ({ stream: streamOf(...parts) }),
    ...more,
  }
}

function streamOf(...all: readonly Part[]): ReadableStream<Part> {
  return new ReadableStream({
    start(controller) {
      for (const part of all) controller.enqueue(part)
      controller.close()
    },
  })
}

/** Never ends. */
function openStream(...all: readonly Part[]): ReadableStream<Part> {
  return new ReadableStream({
    start(controller) {
      for (const part of all) controller.enqueue(part)
    },
  })
}

async function readAll(stream: ReadableStream<Part>): Promise<Part[]> {
  const read: Part[] = []
  for await (const part of stream) read.push(part)
  return read
}

test('a streamed request has a span and a metric that follow the GenAI conventions', async () => {
  await using recorder = recordSpans()
  const model = traceModel(fakeModel())
  expect(model).toMatchObject({
    specificationVersion: 'v4',
    provider: 'anthropic.messages',
    modelId: 'test-1',
  })
  const { stream } = await model.doStream({ temperature: 0.5, maxOutputTokens: 100 })
  expect(recorder.open.size).toBe(1)
  expect(await readAll(stream)).toEqual(parts)
  const span = recorder.span('chat test-1')
  expect(span.kind).toBe(kinds.CLIENT)
  expect(span.status.code).toBe(SpanStatusCode.UNSET)
  expect(span.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': 'test-1',
    'gen_ai.request.stream': true,
    'gen_ai.request.temperature': 0.5,
    'gen_ai.request.max_tokens': 100,
    'gen_ai.response.id': 'response-1',
    'gen_ai.response.model': 'test-1-2026',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.response.time_to_first_chunk': expect.any(Number),
    'gen_ai.usage.input_tokens': 12,
    'gen_ai.usage.cache_read.input_tokens': 4,
    'gen_ai.usage.output_tokens': 5,
  })
  expect(await recorder.metrics()).toMatchObject([
    {
      name: 'gen_ai.client.operation.duration',
      count: 1,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'anthropic',
        'gen_ai.request.model': 'test-1',
        'gen_ai.response.model': 'test-1-2026',
      },
    },
  ])
})

test('a request without a stream', async () => {
  await using recorder = recordSpans()
  await traceModel(fakeModel()).doGenerate({})
  const { attributes } = recorder.span('chat test-1')
  expect(attributes).toMatchObject({
    'gen_ai.response.id': 'response-2',
    'gen_ai.response.finish_reasons': ['tool-calls'],
    'gen_ai.usage.output_tokens': 5,
  })
  expect(attributes).not.toHaveProperty('gen_ai.request.stream')
})

test('the span is active while the request is sent, and a child of what is active', async () => {
  await using recorder = recordSpans()
  let active: string | undefined
  const model = traceModel(
    fakeModel({
      async doStream() {
        active = trace.getActiveSpan()?.spanContext().spanId
        return { stream: streamOf(...parts) }
      },
    }),
  )
  await trace.getTracer('test').startActiveSpan('turn', async (turn) => {
    await readAll((await model.doStream({})).stream)
    turn.end()
  })
  const span = recorder.span('chat test-1')
  expect(active).toBe(span.spanContext().spanId)
  expect(span.parentSpanContext?.spanId).toBe(recorder.span('turn').spanContext().spanId)
})

describe('the span ends', () => {
  const failure = Object.assign(new Error('sk-secret'), { name: 'AI_APICallError', statusCode: 529 })

  test('with the finish, even if the rest is not read', async () => {
    await using recorder = recordSpans()
    const model = traceModel(fakeModel({ doStream: async () => ({ stream: openStream(...parts) }) }))
    const reader = (await model.doStream({})).stream.getReader()
    for (const part of parts) expect((await reader.read()).value).toBe(part)
    expect(recorder.open.size).toBe(0)
    await reader.cancel()
    expect(recorder.span('chat test-1').status.code).toBe(SpanStatusCode.UNSET)
  })

  test('if the request fails', async () => {
    await using recorder = recordSpans()
    const model = traceModel(
      fakeModel({
        doStream: () => Promise.reject(failure),
        doGenerate: () => {
          throw failure
        },
      }),
    )
    await expect(model.doStream({})).rejects.toBe(failure)
    await expect(model.doGenerate({})).rejects.toBe(failure)
    expect(recorder.open.size).toBe(0)
    for (const span of recorder.spans()) {
      expect(span.attributes['error.type']).toBe('529')
      expect(span.status).toEqual({ code: SpanStatusCode.ERROR })
    }
    expect(await recorder.metrics()).toMatchObject([{ count: 2, attributes: { 'error.type': '529' } }])
  })

  test('with an error in the stream, as a part or as its end', async () => {
    await using recorder = recordSpans()
    const asPart = traceModel(
      fakeModel({ doStream: async () => ({ stream: streamOf({ type: 'error', error: failure }) }) }),
    )
    expect(await readAll((await asPart.doStream({})).stream)).toEqual([{ type: 'error', error: failure }])
    const broken = new ReadableStream<Part>({ pull: (controller) => controller.error(failure) })
    const asEnd = traceModel(fakeModel({ doStream: async () => ({ stream: broken }) }))
    await expect(readAll((await asEnd.doStream({})).stream)).rejects.toBe(failure)
    expect(recorder.open.size).toBe(0)
    expect(recorder.spans().map(({ attributes }) => attributes['error.type'])).toEqual(['529', '529'])
  })

  test('with a stream that ends without a finish', async () => {
    await using recorder = recordSpans()
    const model = traceModel(fakeModel({ doStream: async () => ({ stream: streamOf() }) }))
    await readAll((await model.doStream({})).stream)
    expect(recorder.open.size).toBe(0)
  })

  test('if the stream is cancelled, which cancels that of the provider', async () => {
    await using recorder = recordSpans()
    let cancelled: unknown
    const stream = new ReadableStream<Part>({
      cancel(reason) {
        cancelled = reason
      },
    })
    const model = traceModel(fakeModel({ doStream: async () => ({ stream }) }))
    await (await model.doStream({})).stream.cancel('enough')
    expect(cancelled).toBe('enough')
    expect(recorder.span('chat test-1').attributes['error.type']).toBe('AbortError')
  })

  test.each(['before the response', 'during the stream'])('if the request is aborted %s', async (when) => {
    await using recorder = recordSpans()
    const controller = new AbortController()
    const early = when === 'before the response'
    // The provider ignores the signal.
    const model = traceModel(
      fakeModel({
        doStream: () =>
          early ? new Promise<never>(() => {}) : Promise.resolve({ stream: openStream(parts[0]!) }),
      }),
    )
    const request = model.doStream({ abortSignal: controller.signal })
    if (!early) await (await request).stream.getReader().read()
    expect(recorder.open.size).toBe(1)
    controller.abort()
    expect(recorder.open.size).toBe(0)
    expect(recorder.span('chat test-1').attributes['error.type']).toBe('AbortError')
  })

  test('if nobody reads the stream any more', async () => {
    await using recorder = recordSpans()
    const model = traceModel(fakeModel({ doStream: async () => ({ stream: openStream(...parts) }) }))
    await (async () => {
      const reader = (await model.doStream({})).stream.getReader()
      await reader.read()
    })()
    await until(() => {
      collectGarbage()
      return recorder.open.size === 0
    })
    expect(recorder.span('chat test-1').attributes['error.type']).toBe('AbortError')
  })
})

test.each([{}, { stream: null }, { stream: 'text' }])(
  'what is no stream is passed on: %j',
  async (result) => {
    await using recorder = recordSpans()
    const model = traceModel(fakeModel({ doStream: async () => result as never }))
    expect(await model.doStream({})).toEqual(result)
    expect(recorder.open.size).toBe(0)
  },
)

test('what the server calls itself is redacted and shortened', async () => {
  await using recorder = recordSpans()
  const secret = 'sk-canary-value'
  const metadata = { type: 'response-metadata', id: `id-${secret}`, modelId: `${'m'.repeat(250)}${secret}` }
  const end = { type: 'finish', usage: {}, finishReason: `because ${secret}` }
  const model = traceModel(fakeModel({ doStream: async () => ({ stream: streamOf(metadata, end) }) }), {
    redact: (text) => text.replaceAll(secret, '[KEY]'),
  })
  await readAll((await model.doStream({})).stream)
  const { attributes } = recorder.span('chat test-1')
  expect(JSON.stringify([attributes, await recorder.metrics()])).not.toContain('sk-')
  expect(String(attributes['gen_ai.response.model'])).toHaveLength(255)
})
