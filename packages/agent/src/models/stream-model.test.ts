import { getEventListeners } from 'node:events'
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { createFakeClock, type FakeClock } from '@curfew/core/testing'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { ModelError } from './model-error.ts'
import { type ModelEvent, type StreamModelOptions, streamModel } from './stream-model.ts'

let clock: FakeClock
let rejections: unknown[]

beforeEach(() => {
  clock = createFakeClock()
  rejections = []
  const onRejection = (reason: unknown): number => rejections.push(reason)
  process.on('unhandledRejection', onRejection)
  return async () => {
    // Rejections are reported after the microtasks of a turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 1))
    process.off('unhandledRejection', onRejection)
    expect(rejections).toEqual([])
    expect(clock.pending).toBe(0)
  }
})

type Step =
  | LanguageModelV4StreamPart
  | { readonly wait: number }
  | { readonly throw: unknown }
  | 'hang'
  | unknown

interface Attempt {
  /** Thrown or rejected by `doStream`. */
  readonly fail?: unknown
  readonly failLater?: { readonly ms: number; readonly error: unknown }
  /** Until `doStream` resolves. */
  readonly openAfter?: number
  readonly steps?: readonly Step[]
  /** Ignores the signal and never finishes its cancellation. */
  readonly isStubborn?: boolean
}

interface ScriptedModel extends LanguageModelV4 {
  readonly signals: AbortSignal[]
  cancelled: number
}

const finish = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: {
    inputTokens: { total: 7, noCache: 7, cacheRead: 0, cacheWrite: undefined },
    outputTokens: { total: 3, text: 3, reasoning: undefined },
  },
} as const
const text = (delta: string, id = '1'): LanguageModelV4StreamPart => ({ type: 'text-delta', id, delta })
const call = (id: string, name: string, input: string): LanguageModelV4StreamPart => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: name,
  input,
})

function scriptedModel(...attempts: readonly Attempt[]): ScriptedModel {
  let count = 0
  const model: ScriptedModel = {
    specificationVersion: 'v4',
    provider: 'test.chat',
    modelId: 'scripted',
    supportedUrls: {},
    signals: [],
    cancelled: 0,
    doGenerate: () => Promise.reject(new Error('not used')),
    async doStream({ abortSignal }) {
      const attempt = attempts[count++]
      if (attempt === undefined) throw new Error('no attempt is left in the script')
      model.signals.push(abortSignal!)
      if (attempt.fail !== undefined) throw attempt.fail
      if (attempt.failLater !== undefined) {
        await sleep(attempt.failLater.ms)
        throw attempt.failLater.error
      }
      if (attempt.openAfter !== undefined) await sleep(attempt.openAfter)
      return { stream: toStream(attempt, model) }
    },
  }
  return model
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => clock.setTimer(ms, resolve))
}

function toStream({ steps = [], isStubborn }: Attempt, model: ScriptedModel) {
  const queue = [...steps]
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        const step = queue.shift() as { wait?: number; throw?: unknown } | 'hang' | undefined
        if (step === undefined) return controller.close()
        if (step === 'hang') return new Promise(() => {})
        if (step?.wait !== undefined) {
          await sleep(step.wait)
          return this.pull?.(controller)
        }
        if (step !== null && typeof step === 'object' && 'throw' in step) return controller.error(step.throw)
        controller.enqueue(step as unknown as LanguageModelV4StreamPart)
      },
      cancel() {
        model.cancelled++
        return isStubborn ? new Promise(() => {}) : undefined
      },
    },
    { highWaterMark: 0 },
  )
}

interface Outcome {
  readonly events: ModelEvent[]
  readonly error: ModelError | null
  /** When it ended. */
  readonly at: number
}

async function run(model: LanguageModelV4, options: StreamModelOptions = {}): Promise<Outcome> {
  const events: ModelEvent[] = []
  try {
    for await (const event of streamModel(model, { prompt: [] }, { clock, random: () => 1, ...options }))
      events.push(event)
    return { events, error: null, at: clock.now() }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return { events, error, at: clock.now() }
  }
}

const runToEnd = (...parameters: Parameters<typeof run>): Promise<Outcome> =>
  clock.runUntil(run(...parameters))

function httpError(statusCode: number, fields: object = {}): Error {
  return Object.assign(new Error(`status ${statusCode}`), { name: 'AI_APICallError', statusCode, ...fields })
}

describe('a response', () => {
  test('yields text, reasoning and calls, then everything in order with its metadata', async () => {
    const signature = { anthropic: { signature: 'abc' } }
    const model = scriptedModel({
      steps: [
        { type: 'stream-start', warnings: [] },
        { type: 'reasoning-start', id: '0' },
        { type: 'reasoning-delta', id: '0', delta: 'Let me ' },
        { type: 'reasoning-delta', id: '0', delta: 'see.' },
        { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: signature },
        { type: 'reasoning-end', id: '0' },
        { type: 'reasoning-start', id: '1', providerMetadata: { anthropic: { redactedData: 'xyz' } } },
        { type: 'reasoning-end', id: '1' },
        { type: 'text-start', id: '2' },
        text('Hel', '2'),
        text('lo', '2'),
        { type: 'text-end', id: '2' },
        { ...call('a', 'read', '{"path":"x"}'), providerMetadata: { google: { thoughtSignature: 's' } } },
        call('b', 'list', ''),
        call('c', 'broken', '{"path":'),
        finish,
      ],
    })
    const { signal } = new AbortController()
    const { events, error } = await runToEnd(model, { signal })
    expect(error).toBeNull()
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(events).toEqual([
      { type: 'reasoning', text: 'Let me ' },
      { type: 'reasoning', text: 'see.' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'call', callId: 'a', name: 'read', input: { path: 'x' } },
      { type: 'call', callId: 'b', name: 'list', input: {} },
      { type: 'call', callId: 'c', name: 'broken', input: '{"path":' },
      {
        type: 'finish',
        finishReason: 'stop',
        usage: {
          inputTokens: 7,
          cachedInputTokens: 0,
          cacheWriteTokens: null,
          outputTokens: 3,
          reasoningTokens: null,
        },
        parts: [
          { type: 'reasoning', text: 'Let me see.', metadata: signature },
          { type: 'reasoning', text: '', metadata: { anthropic: { redactedData: 'xyz' } } },
          { type: 'text', text: 'Hello' },
          {
            type: 'call',
            callId: 'a',
            name: 'read',
            input: { path: 'x' },
            metadata: { google: { thoughtSignature: 's' } },
          },
          { type: 'call', callId: 'b', name: 'list', input: {} },
          { type: 'call', callId: 'c', name: 'broken', input: '{"path":' },
        ],
      },
    ])
    // Complete, so the connection can be used again.
    expect(model.signals[0]?.aborted).toBe(false)
  })

  test('names and ids of megabytes are shortened, because they are kept with every call', async () => {
    const { events } = await runToEnd(
      scriptedModel({ steps: [call('i'.repeat(1_000_000), 'n'.repeat(1_000_000), '{}'), finish] }),
    )
    const part = { type: 'call', callId: 'i'.repeat(256), name: 'n'.repeat(256), input: {} }
    expect(events[0]).toEqual(part)
    expect(events.at(-1)).toMatchObject({ parts: [part] })
  })

  test('parts with wrong types are skipped, and never crash', async () => {
    const wrong: unknown[] = [
      null,
      undefined,
      'text',
      {},
      { type: 5 },
      { type: 'text-delta', id: {}, delta: 5 },
      { type: 'text-end' },
      { type: 'text-delta', id: '1', delta: 'ok', providerMetadata: 'no' },
      { type: 'reasoning-delta', id: '1', delta: '', providerMetadata: { a: { self: 1n } } },
      { type: 'text-start', id: '2', providerMetadata: deep(500) },
      { type: 'tool-input-delta', id: 5, delta: null },
      { type: 'unknown-part' },
      { type: 'tool-call', providerExecuted: true },
      {
        type: 'finish',
        finishReason: 'stop',
        usage: { inputTokens: { total: Number.NaN, cacheRead: 1e308, cacheWrite: -1 }, outputTokens: null },
      },
    ]
    const { events, error } = await runToEnd(
      scriptedModel({ steps: wrong.filter((part) => part !== undefined) }),
    )
    expect(error).toBeNull()
    expect(events.at(-1)).toMatchObject({
      finishReason: 'other',
      // Two of 1e308 would add up to infinity, which a session cannot contain.
      usage: { inputTokens: null, cachedInputTokens: null, cacheWriteTokens: null, outputTokens: null },
      parts: [{ type: 'text', text: 'ok' }],
    })
  })

  test.each([
    ['a call without a name', [{ type: 'tool-call', toolCallId: 'a', input: '{}' }]],
    [
      'a call whose input is not a string',
      [{ type: 'tool-call', toolCallId: 'a', toolName: 'x', input: {} }],
    ],
    ['too many characters', [text('x'.repeat(60)), text('x'.repeat(41))]],
    ['too many calls', [1, 2, 3, 4].map((id) => call(String(id), 'x', '{}'))],
    ['a call with a long input', [call('a', 'x', `"${'x'.repeat(30)}"`)]],
    ['an input that never ends', Array(30).fill({ type: 'tool-input-delta', id: 'a', delta: 'xx' })],
    [
      'many inputs that never end',
      Array.from({ length: 30 }, (_, id) => ({ type: 'tool-input-delta', id: `${id}`, delta: '12345' })),
    ],
    ['many empty parts', Array.from({ length: 9 }, (_, id) => ({ type: 'text-start', id: `${id}` }))],
    [
      'many empty inputs',
      Array.from({ length: 9 }, (_, id) => ({ type: 'tool-input-delta', id: `${id}`, delta: '' })),
    ],
    ['ids that are too long', [{ type: 'text-start', id: 'x'.repeat(100) }]],
    ['ids of inputs that are too long', [{ type: 'tool-input-delta', id: 'x'.repeat(100), delta: '' }]],
    ['metadata that is too long', [{ ...text('x'), providerMetadata: { a: { b: 'x'.repeat(100) } } }]],
  ])('%s ends the request', async (_, steps) => {
    const model = scriptedModel({ steps: [...steps, 'hang'] })
    const limits = { maxCharacters: 100, maxCalls: 3, maxInputCharacters: 20 }
    const { error } = await runToEnd(model, { limits })
    expect(error).toMatchObject({ kind: 'invalid-response', retryable: false })
    expect(error?.message).toMatch(/^test:scripted: the response contains /)
    expect(model.signals[0]?.aborted).toBe(true)
    expect(model.cancelled).toBe(1)
  })

  test('a failure keeps what was received, without incomplete calls', async () => {
    const { events, error } = await runToEnd(
      scriptedModel({
        steps: [
          text('Hi'),
          call('a', 'read', '{}'),
          { type: 'tool-input-start', id: 'b', toolName: 'write' },
          { type: 'tool-input-delta', id: 'b', delta: '{"te' },
          { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
        ],
      }),
    )
    expect(events).toHaveLength(2)
    expect(error).toMatchObject({
      kind: 'overloaded',
      retryable: true,
      parts: [
        { type: 'text', text: 'Hi' },
        { type: 'call', callId: 'a', name: 'read', input: {} },
      ],
    })
  })

  test.each([
    [null, 'connection', true],
    [{ unified: 'interrupted', raw: undefined }, 'connection', true],
    [{ unified: 'content-filter', raw: 'SAFETY' }, 'content-filter', false],
    [{ unified: 'error', raw: 'MALFORMED_FUNCTION_CALL' }, 'invalid-response', true],
  ])('finish reason %j is a failure', async (finishReason, kind, retryable) => {
    const steps = finishReason === null ? [text('x')] : [text('x'), { ...finish, finishReason }]
    const { error } = await runToEnd(scriptedModel({ steps }))
    expect(error).toMatchObject({ kind, retryable, parts: [{ type: 'text', text: 'x' }] })
  })
})

describe('limits', () => {
  const stubborn = { isStubborn: true }

  test.each([
    ['a model that never opens its stream', { openAfter: 10_000_000, steps: [] }, 'first-token', 60_000],
    [
      'a stream without a first token',
      { steps: [{ type: 'stream-start', warnings: [] }, 'hang'] },
      'first-token',
      60_000,
    ],
    ['pings instead of a first token', { steps: pings(100) }, 'first-token', 60_000],
    ['a stall in the middle', { steps: [{ wait: 30_000 }, text('x'), 'hang'] }, 'idle', 90_000],
    ['a slow stream that never ends', { steps: [text('x'), ...slow(100)] }, 'total', 600_000],
    [
      'empty deltas forever',
      { steps: [text('x'), ...Array.from({ length: 99 }, () => [{ wait: 30_000 }, text('')]).flat()] },
      'total',
      600_000,
    ],
  ] as const)('%s', async (_, attempt, kind, at) => {
    const model = scriptedModel({ ...attempt, ...stubborn })
    const running = run(model)
    await clock.advance(at - 1)
    expect(model.signals[0]?.aborted).toBe(false)
    await clock.advance(1)
    const { error, at: ended } = await running
    expect(error?.kind).toBe(kind)
    expect(ended).toBe(at)
    expect(model.signals[0]?.aborted).toBe(true)
    await clock.advance(20_000_000)
    expect(model.cancelled).toBe(1)
  })

  test('pings extend the idle limit', async () => {
    const { error } = await runToEnd(scriptedModel({ steps: [text('x'), ...pings(10), finish] }))
    expect(error).toBeNull()
  })

  test('the time that the consumer needs does not count as idle', async () => {
    const events: string[] = []
    const consume = async (): Promise<void> => {
      const model = scriptedModel({ steps: [text('a'), text('b'), finish] })
      for await (const event of streamModel(model, { prompt: [] }, { clock })) {
        events.push(event.type)
        await sleep(200_000)
      }
    }
    await clock.runUntil(consume())
    expect(events).toEqual(['text', 'text', 'finish'])
  })

  test('a stream that is always ready does not keep timers and aborts from working', async () => {
    const controller = new AbortController()
    const model = scriptedModel({})
    model.doStream = async () => ({
      stream: new ReadableStream({ pull: (stream) => stream.enqueue({ type: 'ping' }) }),
    })
    const { error } = await new Promise<Outcome>((resolve) => {
      const running = run(model, {
        signal: controller.signal,
        clock: { ...clock, defer: (next) => setImmediate(next) },
      })
      setTimeout(() => controller.abort(), 5)
      resolve(running)
    })
    expect(error?.kind).toBe('aborted')
  })

  test('a stream that does not end after its finish is cut off after the grace period', async () => {
    const model = scriptedModel({ steps: [text('x'), finish, 'hang'], isStubborn: true })
    const { events, at } = await runToEnd(model)
    expect(events.at(-1)?.type).toBe('finish')
    expect(at).toBe(250)
    expect(model.signals[0]?.aborted).toBe(true)
  })

  test('limits can be set, and invalid ones are rejected with their name', async () => {
    const limits = { firstToken: '2s', idle: 1_000, total: '5s' } as const
    expect((await runToEnd(scriptedModel({ steps: ['hang'] }), { limits })).at).toBe(2_000)
    await expect(run(scriptedModel({}), { limits: { idle: '5 parsecs' as '5s' } })).rejects.toThrow(
      /^limits\.idle: expected a duration/,
    )
    await expect(run(scriptedModel({}), { limits: { maxCalls: 0 } })).rejects.toThrow(
      'limits.maxCalls: expected a whole number from 1, got 0',
    )
  })

  test('a message names the model and the limit', async () => {
    const { error } = await runToEnd(scriptedModel({ steps: ['hang'] }))
    expect(error?.message).toBe('test:scripted: no response within 1 min (limits.firstToken)')
  })
})

describe('abort', () => {
  test('before the start: the model is not called', async () => {
    const model = scriptedModel({ steps: [text('x')] })
    const { error } = await run(model, { signal: AbortSignal.abort() })
    expect(error?.kind).toBe('aborted')
    expect(model.signals).toEqual([])
  })

  test.each([
    ['while the stream opens', { openAfter: 1_000_000, steps: [text('late')], isStubborn: true }],
    ['while nothing arrives', { steps: [text('x'), 'hang'], isStubborn: true }],
    ['while doStream fails late', { failLater: { ms: 1_000_000, error: new Error('late') } }],
    ['while waiting for the next attempt', { fail: httpError(500) }],
  ])('%s', async (_, attempt: Attempt) => {
    const controller = new AbortController()
    const running = run(scriptedModel(attempt), { signal: controller.signal })
    await clock.advance(10)
    controller.abort(new Error('a reason with a secret'))
    const { error, at } = await running
    expect(error).toMatchObject({ kind: 'aborted', message: 'test:scripted: the request was aborted' })
    expect(at).toBe(10)
    await clock.advance(2_000_000)
  })

  test('a consumer that leaves ends the request', async () => {
    const model = scriptedModel({ steps: [text('x'), 'hang'], isStubborn: true })
    for await (const event of streamModel(model, { prompt: [] }, { clock })) if (event.type === 'text') break
    expect(model.signals[0]?.aborted).toBe(true)
    expect(model.cancelled).toBe(1)
  })

  test('the first cause wins: a provider that throws because of the abort changes nothing', async () => {
    const controller = new AbortController()
    const model = scriptedModel({})
    model.doStream = ({ abortSignal }) =>
      new Promise((_, reject) => {
        abortSignal?.addEventListener('abort', () => reject(abortSignal.reason))
      })
    const running = run(model, { signal: controller.signal })
    await clock.advance(5)
    controller.abort()
    expect((await running).error?.kind).toBe('aborted')
  })
})

test('an abort at any moment ends the request at that moment, and nothing is left', async () => {
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom<Step>(text('x'), text(''), call('a', 'read', '{}'), { type: 'ping' }, null),
    },
    fc.constantFrom<Step>(
      finish,
      'hang',
      { type: 'error', error: new Error('x') },
      { throw: new TypeError('terminated') },
    ),
    fc.record({ wait: fc.integer({ min: 1, max: 100_000 }) }),
  )
  const attempt = fc.record(
    {
      fail: fc.constantFrom(httpError(500), httpError(429), httpError(400)),
      failLater: fc.record({ ms: fc.integer({ min: 1, max: 100_000 }), error: fc.constant(httpError(503)) }),
      openAfter: fc.integer({ min: 1, max: 100_000 }),
      steps: fc.array(step, { maxLength: 8 }),
      isStubborn: fc.boolean(),
    },
    { requiredKeys: ['steps', 'isStubborn'] },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(attempt, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 0, max: 250_000 }),
      async (attempts, abortAt) => {
        clock = createFakeClock()
        const controller = new AbortController()
        let isRunning = true
        const running = run(scriptedModel(...attempts), { signal: controller.signal }).finally(() => {
          isRunning = false
        })
        await clock.advance(abortAt)
        const wasRunning = isRunning
        controller.abort()
        await clock.settle()
        expect(isRunning).toBe(false)
        const { error, events } = await running
        // A response that is complete stays complete.
        if (wasRunning && events.at(-1)?.type !== 'finish') expect(error?.kind).toBe('aborted')
        expect(getEventListeners(controller.signal, 'abort')).toEqual([])
        // Of the script.
        await clock.advance(10_000_000)
        expect(clock.pending).toBe(0)
      },
    ),
    { numRuns: 300 },
  )
})

test.each([undefined, {}, { stream: 'x' }])('doStream resolves to %j', async (result) => {
  const model = scriptedModel({})
  model.doStream = async () => result as never
  const { error } = await runToEnd(model)
  expect(error).toMatchObject({ kind: 'invalid-response', retryable: false })
})

describe('retries', () => {
  const ok: Attempt = { steps: [text('done'), finish] }
  const delays = ({ events }: Outcome): number[] =>
    events.filter((event) => event.type === 'retry').map((event) => event.delayMs)

  test.each([
    ['429', httpError(429)],
    ['500', httpError(500)],
    ['529', httpError(529)],
    ['a refused connection', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    ['a cut connection', new TypeError('terminated')],
  ])('%s is retried with increasing delays', async (_, fail) => {
    const outcome = await runToEnd(scriptedModel({ fail }, { fail }, { fail }, { fail }, ok))
    expect(outcome.error).toBeNull()
    expect(delays(outcome)).toEqual([500, 1_000, 2_000, 4_000])
    expect(outcome.events[0]).toMatchObject({
      type: 'retry',
      attempt: 1,
      maxAttempts: 5,
      cause: { retryable: true },
    })
    expect(outcome.at).toBe(7_500)
  })

  test.each([400, 401, 403, 404, 422])('%i is not retried', async (status) => {
    const { events, error } = await runToEnd(scriptedModel({ fail: httpError(status) }, ok))
    expect(events).toEqual([])
    expect(error).toMatchObject({ status, retryable: false })
  })

  test('not more than maxAttempts', async () => {
    const attempt = { fail: httpError(500) }
    const { events, error } = await runToEnd(scriptedModel(...Array(9).fill(attempt)))
    expect(events).toHaveLength(4)
    expect(error?.message).toMatch(/ \(after 5 attempts\)$/)
  })

  test('not once something was yielded, so that no text is repeated', async () => {
    const { events, error } = await runToEnd(
      scriptedModel({ steps: [text('a'), { throw: new TypeError('terminated') }] }, ok),
    )
    expect(events).toEqual([{ type: 'text', text: 'a' }])
    expect(error).toMatchObject({ kind: 'connection', parts: [{ text: 'a' }] })
  })

  test('a stream that fails before its first text is retried', async () => {
    const cut = { steps: [{ type: 'reasoning-start', id: '1' }, { throw: new TypeError('terminated') }] }
    const { events } = await runToEnd(scriptedModel(cut, ok))
    expect(events.map(({ type }) => type)).toEqual(['retry', 'text', 'finish'])
  })

  test('a limit is not retried', async () => {
    const { events, at } = await runToEnd(scriptedModel({ steps: ['hang'] }, ok))
    expect(events).toEqual([])
    expect(at).toBe(60_000)
  })

  test.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'Retry-After': '60' }, 60_000],
    [{ 'retry-after-ms': '1234', 'retry-after': '9' }, 1_234],
    [{ 'retry-after': new Date(20_000).toUTCString() }, 20_000],
    [{ 'retry-after': 'nonsense' }, 500],
    [{ 'retry-after': '0' }, 500],
    [{ 'retry-after': '-5' }, 500],
  ])('%j', async (responseHeaders, delayMs) => {
    const outcome = await runToEnd(scriptedModel({ fail: httpError(429, { responseHeaders }) }, ok))
    expect(delays(outcome)).toEqual([delayMs])
  })

  test('a wait of more than 60 s is left to the caller', async () => {
    const fail = httpError(429, { responseHeaders: { 'retry-after': '61' } })
    const { events, error } = await runToEnd(scriptedModel({ fail }, ok))
    expect(events).toEqual([])
    expect(error).toMatchObject({ kind: 'rate-limit', retryAfterMs: 61_000, status: 429 })
  })

  test('not more waiting than maxWait, and not beyond the total limit', async () => {
    const attempt = { fail: httpError(429, { responseHeaders: { 'retry-after': '50' } }) }
    const script = Array(5).fill(attempt)
    expect((await runToEnd(scriptedModel(...script))).at).toBe(100_000)
    const limits = { total: '40s' } as const
    expect((await runToEnd(scriptedModel(...script), { limits })).error?.kind).toBe('rate-limit')
  })

  test('random delays between half and all of the backoff', async () => {
    const outcome = await runToEnd(scriptedModel({ fail: httpError(500) }, ok), { random: () => 0 })
    expect(delays(outcome)).toEqual([250])
  })
})

function deep(levels: number): object {
  let value = {}
  for (let level = 0; level < levels; level++) value = { value }
  return value
}

function pings(count: number): Step[] {
  return Array.from({ length: count }, () => [{ wait: 20_000 }, { type: 'ping' }]).flat()
}

function slow(count: number): Step[] {
  return Array.from({ length: count }, () => [{ wait: 50_000 }, text('x')]).flat()
}
