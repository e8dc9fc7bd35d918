import type { LanguageModelV4, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type ModelServer,
  type Reply,
  type Step,
  startModelServer,
  testKey,
  wireFormats,
} from '../../../packages/torture/src/model-server/start-model-server.ts'
import { until } from '../../../test/support/until.ts'
import type { HistoryItem } from '../src/history/history-item.ts'
import { ModelError } from '../src/models/model-error.ts'
import type { ModelLimits } from '../src/models/model-limits.ts'
import { nameOfModel } from '../src/models/name-of-model.ts'
import { type ModelEvent, type ModelRequest, streamModel } from '../src/models/stream-model.ts'
import { toPrompt } from '../src/models/to-prompt.ts'
import { toTools } from '../src/models/to-tools.ts'
import { createTestModel } from './support/create-test-model.ts'

/** With the providers' own packages, against servers that speak their protocols. */

const servers: ModelServer[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) {
    await until(() => server.openResponses === 0)
    await server.close()
  }
})

type Format = (typeof wireFormats)[number]

interface Outcome {
  readonly events: ModelEvent[]
  readonly error: ModelError | null
  readonly server: ModelServer
}

const tools: LanguageModelV4FunctionTool[] = [
  {
    type: 'function',
    name: 'read',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  },
]
const hello: ModelRequest = {
  prompt: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
  ],
  tools,
}

interface RunOptions {
  readonly limits?: ModelLimits
  readonly request?: ModelRequest
  readonly signal?: AbortSignal
  readonly onEvent?: () => void
}

async function run(format: Format, script: readonly Reply[], options: RunOptions = {}): Promise<Outcome> {
  const server = await startModelServer({ format, script })
  servers.push(server)
  const events: ModelEvent[] = []
  const { request = hello, onEvent, ...rest } = options
  const model = createTestModel(format, server.url)
  try {
    for await (const event of streamModel(model, request, { random: () => 0, ...rest })) {
      events.push(event)
      onEvent?.()
    }
    return { events, error: null, server }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return { events, error, server }
  }
}

const textOf = ({ events }: Outcome): string =>
  events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')

describe.each(wireFormats)('%s', (format) => {
  test('text, reasoning, parallel calls, usage and signatures', async () => {
    const outcome = await run(format, [
      [
        { reasoning: 'Hmm. ', signature: 'c2lnbmF0dXJl' },
        { redacted: 'cmVkYWN0ZWQ=' },
        { text: 'I will ' },
        { text: 'look.' },
        { call: { id: 'a', name: 'read', input: { path: 'ä\n"x"' }, signature: 'Y2FsbA==' } },
        { call: { id: 'b', name: 'read', input: {} } },
        { usage: { input: 100, output: 50, cached: 40, reasoning: 20 } },
      ],
    ])
    const { events, error, server } = outcome
    expect(error).toBeNull()
    expect(server.requests.map(({ problem }) => problem)).toEqual([null])
    expect(textOf(outcome)).toBe('I will look.')
    expect(events.filter(({ type }) => type === 'call')).toEqual([
      { type: 'call', callId: 'a', name: 'read', input: { path: 'ä\n"x"' } },
      { type: 'call', callId: 'b', name: 'read', input: {} },
    ])
    const finish = events.at(-1)
    if (finish?.type !== 'finish') throw new Error('expected a finish')
    expect(finish.finishReason).toBe('tool-calls')
    expect(finish.usage).toMatchObject({ inputTokens: 100, outputTokens: 50, cachedInputTokens: 40 })
    expect(finish.parts).toEqual(completeParts[format])
    expect(server.requests[0]?.wasAborted).toBe(false)
  })

  test.each([
    ['length', 'length'],
    ['filter', 'content-filter'],
  ] as const)('finish reason %s', async (finish, expected) => {
    const { events, error } = await run(format, [[{ text: 'x' }, { finish }]])
    if (expected === 'content-filter') expect(error).toMatchObject({ kind: expected, parts: [{ text: 'x' }] })
    else expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: expected })
  })

  test.each([
    ['rate-limit', { 'retry-after-ms': '20' }],
    ['rate-limit', { 'retry-after': '0.02' }],
    ['server-error', {}],
    ['overloaded', {}],
  ] as const)('%s with headers %j is retried', async (error, headers) => {
    const outcome = await run(format, [{ error, headers }, [{ text: 'Hello' }]])
    expect(outcome.error).toBeNull()
    expect(outcome.events.map(({ type }) => type)).toEqual(['retry', 'text', 'finish'])
    expect(outcome.events[0]).toMatchObject({
      cause: { kind: error === 'rate-limit' ? 'rate-limit' : 'overloaded', retryable: true },
    })
    expect(outcome.server.requests).toHaveLength(2)
  })

  test('a rate limit without a header', async () => {
    const limits = { maxAttempts: 1 }
    const { error } = await run(format, [{ error: 'rate-limit' }], { limits })
    // Google says it in the body.
    const retryAfterMs = format === 'google' ? 34_075 : null
    expect(error).toMatchObject({ kind: 'rate-limit', status: 429, retryAfterMs })
  })

  test('a long Retry-After is not waited for', async () => {
    const { error, server } = await run(format, [{ error: 'rate-limit', headers: { 'retry-after': '3600' } }])
    expect(error).toMatchObject({ kind: 'rate-limit', retryAfterMs: 3_600_000 })
    expect(server.requests).toHaveLength(1)
  })

  test.each([
    ['quota', 'quota'],
    ['auth', 'auth'],
    ['not-found', 'other'],
    ['context-overflow', 'context-overflow'],
  ] as const)('%s is not retried', async (kind, expected) => {
    const { error, server } = await run(format, [{ error: kind }, [{ text: 'not reached' }]])
    expect(error).toMatchObject({ kind: expected, retryable: false })
    expect(server.requests).toHaveLength(1)
    expect(error?.message).toMatch(new RegExp(`^${nameOfModel(createTestModel(format, 'http://x'))}: `))
    // Their servers repeat a part of the key.
    expect(error?.message).not.toMatch(/1234567890/)
    expect(JSON.stringify({ ...error })).not.toContain(testKey)
    expect(error?.cause).toBeUndefined()
  })

  test('a stall before the first token', async () => {
    const { error, server } = await run(format, [[{ stall: true }]], { limits: { firstToken: 150 } })
    expect(error).toMatchObject({ kind: 'first-token', parts: [] })
    await until(() => server.requests[0]?.wasAborted === true)
  })

  test('a stall in the middle', async () => {
    const { events, error, server } = await run(format, [[{ text: 'Hel' }, { stall: true }]], {
      limits: { idle: 150 },
    })
    expect(events).toEqual([{ type: 'text', text: 'Hel' }])
    expect(error).toMatchObject({ kind: 'idle', parts: [{ type: 'text', text: 'Hel' }] })
    await until(() => server.requests[0]?.wasAborted === true)
  })

  test('a response that never ends', async () => {
    const { error, server } = await run(format, [[{ endless: 'again ' }]], { limits: { total: 300 } })
    expect(error?.kind).toBe('total')
    await until(() => server.requests[0]?.wasAborted === true)
  })

  test('a connection that is dropped in the middle', async () => {
    const { error, server } = await run(format, [
      [{ text: 'Hel' }, { drop: true }],
      [{ text: 'not reached' }],
    ])
    expect(error).toMatchObject({
      kind: 'connection',
      retryable: true,
      parts: [{ type: 'text', text: 'Hel' }],
    })
    expect(error?.message).toMatch(/: the connection failed: (other side closed|read ECONNRESET)$/)
    expect(server.requests).toHaveLength(1)
  })

  test('a connection that is dropped before the first token is retried', async () => {
    const outcome = await run(format, [[{ drop: true }], [{ text: 'Hello' }]])
    expect(outcome.error).toBeNull()
    expect(outcome.events.map(({ type }) => type)).toEqual(['retry', 'text', 'finish'])
  })

  test('a response that ends without a finish', async () => {
    const { error } = await run(format, [[{ text: 'Hel' }, { end: true }]])
    expect(error).toMatchObject({ kind: 'connection', parts: [{ type: 'text', text: 'Hel' }] })
  })

  test.each([
    ['no JSON', 'data: {"broken\n\n'],
    ['another shape', 'data: {"choices":5,"candidates":"x","type":"content_block_delta"}\n\n'],
    ['deep JSON', `data: ${'['.repeat(5_000)}${']'.repeat(5_000)}\n\n`],
  ])('a malformed chunk: %s', async (_, raw) => {
    const { error } = await run(format, [[{ text: 'Hel' }, { raw }]])
    expect(error).toMatchObject({ kind: 'invalid-response', parts: [{ type: 'text', text: 'Hel' }] })
    expect(error!.message.length).toBeLessThan(700)
  })

  test('a malformed first chunk', async () => {
    const { error } = await run(format, [[{ raw: 'data: {"broken\n\n' }]])
    // Anthropic's package reports it without saying what was wrong.
    expect(error).toMatchObject({ kind: format === 'anthropic' ? 'other' : 'invalid-response', parts: [] })
  })

  test('an error in the middle of the stream', async () => {
    const { error, server } = await run(format, [[{ text: 'Hel' }, { streamError: 'overloaded' }]])
    expect(error).toMatchObject({
      kind: 'overloaded',
      retryable: true,
      parts: [{ type: 'text', text: 'Hel' }],
    })
    expect(server.requests).toHaveLength(1)
  })

  test('an error as the first event is retried', async () => {
    const { events } = await run(format, [[{ streamError: 'overloaded' }], [{ text: 'Hello' }]])
    expect(events.map(({ type }) => type)).toEqual(['retry', 'text', 'finish'])
  })

  test('a gigantic chunk', async () => {
    const { error } = await run(format, [[{ text: 'x'.repeat(5_000_000) }]])
    expect(error).toMatchObject({ kind: 'invalid-response' })
    expect(error?.message).toContain('more than 4000000 characters')
  })

  test('a wrong content type', async () => {
    const { error } = await run(
      format,
      [[{ contentType: 'text/html' }, { raw: '<h1>Welcome</h1>' }, { end: true }]],
      {
        limits: { maxAttempts: 1 },
      },
    )
    expect(error).toMatchObject({ kind: 'connection', parts: [] })
  })

  test('500 calls, with repeated ids and broken JSON', async () => {
    const calls = Array.from({ length: 500 }, (_, index) => ({
      call: { id: `c${index % 9}`, name: 'read', input: { index } },
    }))
    const broken = { call: { id: '', name: 'read', input: format === 'google' ? 'no' : '{"no' } }
    const { events, error } = await run(format, [[...calls, broken]])
    expect(error).toBeNull()
    expect(events.filter(({ type }) => type === 'call')).toHaveLength(501)
    expect(events.at(-2)).toMatchObject({ type: 'call', input: format === 'google' ? 'no' : '{"no' })
  })

  test('an abort closes the connection', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const onEvent = (): void => controller.abort()
    const { error, server } = await run(format, [[{ text: 'x' }, { stall: true }]], { signal, onEvent })
    expect(error).toMatchObject({ kind: 'aborted', parts: [{ type: 'text', text: 'x' }] })
    await until(() => server.requests[0]?.wasAborted === true)
  })

  test('a server that is not there', async () => {
    const server = await startModelServer({ format, script: [] })
    await server.close()
    const events = streamModel(createTestModel(format, server.url), hello, { limits: { maxAttempts: 1 } })
    await expect(events.next()).rejects.toMatchObject({ kind: 'connection', retryable: true, status: null })
  })

  // So that the tool list, and with it the prompt cache, stays the same when a turn winds down.
  test('toolChoice none keeps the tools on the wire', async () => {
    const { server } = await run(format, [[{ text: 'x' }]], {
      request: { ...hello, toolChoice: { type: 'none' } },
    })
    const { problem, body } = server.requests[0]!
    expect(problem).toBeNull()
    expect(toolChoiceOnTheWire[format](body)).toBe(true)
    expect(JSON.stringify(body.tools)).toContain('"read"')
  })

  test('what a model sent comes back to it with its signatures, and to others without', async () => {
    const script: Reply[] = [
      [
        { reasoning: 'Hmm. ', signature: 'c2lnbmF0dXJl' },
        { redacted: 'cmVkYWN0ZWQ=' },
        { call: { id: 'a', name: 'read', input: {}, signature: 'Y2FsbA==' } },
      ],
      [{ text: 'Done.' }],
    ]
    const server = await startModelServer({ format, script })
    servers.push(server)
    const model = createTestModel(format, server.url)
    const { names, tools: listed } = toTools([{ name: 'read' }], model)
    const base = { id: 1, at: 1 }
    const history: HistoryItem[] = [
      { type: 'user', source: 'person', parts: [{ type: 'text', text: 'Hello' }], ...base },
    ]
    const send = async (to: LanguageModelV4): Promise<void> => {
      const prompt = toPrompt(history, { model: to, system: 'Be brief.', names })
      for await (const event of streamModel(to, { prompt, tools: listed })) {
        if (event.type !== 'finish') continue
        history.push({ type: 'assistant', model: nameOfModel(to), parts: event.parts, ...base })
        const denied = {
          callId: 'a',
          name: 'read',
          status: 'error',
          code: 'DENIED',
          content: 'DENIED: no',
        } as const
        if (event.finishReason === 'tool-calls') history.push({ type: 'results', results: [denied], ...base })
      }
    }
    await send(model)
    await send(model)
    const sent = JSON.stringify(server.requests[1]?.body)
    for (const part of signedOnTheWire[format]) expect(sent).toContain(part)
    for (const other of wireFormats.filter((each) => each !== format)) {
      const otherServer = await startModelServer({ format: other, script: [[{ text: 'x' }]] })
      servers.push(otherServer)
      await send(createTestModel(other, otherServer.url))
      expect(otherServer.requests[0]?.problem).toBeNull()
      expect(JSON.stringify(otherServer.requests[0]?.body)).not.toMatch(
        /c2lnbmF0dXJl|cmVkYWN0ZWQ=|Y2FsbA==|Hmm/,
      )
    }
  })

  test('a model that calls a tool although it must not', async () => {
    const request = { ...hello, toolChoice: { type: 'none' } } as const
    const { events } = await run(format, [[{ call: { id: 'a', name: 'read', input: {} } }]], { request })
    expect(events[0]).toMatchObject({ type: 'call', name: 'read' })
  })
})

test("Anthropic's pings keep a slow response alive", async () => {
  const slow: Step[] = Array.from({ length: 5 }, (): Step[] => [{ wait: 500 }, { ping: true }]).flat()
  const { error } = await run('anthropic', [[{ text: 'a' }, ...slow, { text: 'b' }]], {
    limits: { idle: 1_500 },
  })
  expect(error).toBeNull()
})

test('a request that the API rejects is reported with its message', async () => {
  const request: ModelRequest = { prompt: [{ role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }] }
  const { error } = await run('anthropic', [], { request })
  expect(error).toMatchObject({ kind: 'other', status: 400 })
  expect(error?.message).toContain('first message must use the "user" role')
})

const toolChoiceOnTheWire: Readonly<Record<Format, (body: Readonly<Record<string, unknown>>) => boolean>> = {
  google: ({ toolConfig }) => JSON.stringify(toolConfig) === '{"functionCallingConfig":{"mode":"NONE"}}',
  anthropic: ({ tool_choice: choice }) => JSON.stringify(choice) === '{"type":"none"}',
  openai: ({ tool_choice: choice }) => choice === 'none',
}

/** Also how a denied call looks: as an error, where the protocol has one. */
const signedOnTheWire: Readonly<Record<Format, string[]>> = {
  google: [
    '{"text":"Hmm. ","thought":true,"thoughtSignature":"c2lnbmF0dXJl"}',
    '{"functionCall":{"id":"a","name":"read","args":{}},"thoughtSignature":"Y2FsbA=="}',
    '"response":{"name":"read","error":"DENIED: no"}',
  ],
  anthropic: [
    '{"type":"thinking","thinking":"Hmm. ","signature":"c2lnbmF0dXJl"}',
    '{"type":"redacted_thinking","data":"cmVkYWN0ZWQ="}',
    '{"type":"tool_result","tool_use_id":"a","content":"DENIED: no","is_error":true,"cache_control":{"type":"ephemeral"}}',
    '"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}]',
    '"input_schema":{"type":"object","properties":{}},"cache_control":{"type":"ephemeral"}',
    '{"type":"text","text":"Hello","cache_control":{"type":"ephemeral"}}',
  ],
  openai: [
    '"reasoning_content":"Hmm. "',
    '"thought_signature":"Y2FsbA=="',
    '{"role":"tool","tool_call_id":"a","content":"DENIED: no"}',
  ],
}

const calls = [
  { type: 'call', callId: 'a', name: 'read', input: { path: 'ä\n"x"' } },
  { type: 'call', callId: 'b', name: 'read', input: {} },
]
const text = { type: 'text', text: 'I will look.' }
const completeParts: Readonly<Record<Format, unknown[]>> = {
  google: [
    { type: 'reasoning', text: 'Hmm. ', metadata: { google: { thoughtSignature: 'c2lnbmF0dXJl' } } },
    text,
    { ...calls[0], metadata: { google: { thoughtSignature: 'Y2FsbA==' } } },
    calls[1],
  ],
  anthropic: [
    { type: 'reasoning', text: 'Hmm. ', metadata: { anthropic: { signature: 'c2lnbmF0dXJl' } } },
    { type: 'reasoning', text: '', metadata: { anthropic: { redactedData: 'cmVkYWN0ZWQ=' } } },
    text,
    ...calls,
  ],
  openai: [
    { type: 'reasoning', text: 'Hmm. ' },
    text,
    { ...calls[0], metadata: { 'openai-compatible': { thoughtSignature: 'Y2FsbA==' } } },
    calls[1],
  ],
}
