import { type AgentEvent, type AgentOptions, createAgent } from '@curfew/agent'
import { createRuntime, defineTool } from '@curfew/core'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type ModelServer,
  type ModelServerOptions,
  type RecordedRequest,
  type Reply,
  startModelServer,
  wireFormats,
} from '../../../packages/torture/src/model-server/start-model-server.ts'
import { createTestModel } from './support/create-test-model.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

type Format = ModelServerOptions['format']

async function setUp(
  format: Format,
  script: ModelServerOptions['script'],
  options: Partial<AgentOptions> = {},
  stubs = 0,
) {
  const server = await startModelServer({ format, script })
  const runtime = createRuntime({ approval: 'allow', log: () => {}, loops: false })
  cleanups.push(
    () => server.close(),
    () => runtime.close(),
  )
  let reads = 0
  runtime.register(
    defineTool({
      name: 'read',
      description: 'Read.',
      alwaysLoad: true,
      execute: () => `${++reads}: ${'the quick brown fox '.repeat(400)}`,
    }),
    Array.from({ length: stubs }, (_, index) =>
      defineTool({
        name: `tool_${index}`,
        description: 'Run.',
        parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
        execute: () => `ran ${index}`,
      }),
    ) as never,
  )
  const model = createTestModel(format, server.url)
  const agent = createAgent({ model, runtime, system: 'Be brief.', ...options })
  const send = async (prompt: string) => {
    const events: AgentEvent[] = []
    for await (const event of agent.send(prompt)) events.push(event)
    return events
  }
  return { server, agent, send }
}

const endOf = (events: readonly AgentEvent[]) => events.at(-1)
const noticesOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) =>
    event.type === 'notice' && event.notice.kind === 'context' ? [event.notice] : [],
  )
const problemsOf = ({ requests }: ModelServer) =>
  requests.map(({ problem }) => problem).filter((problem) => problem !== null)
const text = (value: unknown): string => JSON.stringify(value) ?? ''
const tokensOf = ({ body }: Pick<RecordedRequest, 'body'>): number => Math.round(text(body).length / 4)
const isSummary = ({ body }: Pick<RecordedRequest, 'body'>): boolean =>
  text(body.messages ?? body.contents).includes('Summarize this conversation')

/** What providers cache: the tools, the system prompt and the messages, in this order and without cache markers. */
function cachedPart({ body }: RecordedRequest): string {
  const { tools, system, systemInstruction } = body
  const messages = body.messages ?? body.contents
  return JSON.stringify([tools, system ?? systemInstruction, messages], (key, value) =>
    key === 'cache_control' ? undefined : value,
  )
}

/** Without the brackets at the end: the last message may be continued. */
function beginning(request: RecordedRequest): string {
  return cachedPart(request).replace(/[\]}]+$/, '')
}

function expectPrefixes(requests: readonly RecordedRequest[]): void {
  for (const [index, request] of requests.slice(1).entries())
    expect(cachedPart(request).startsWith(beginning(requests[index]!))).toBe(true)
}

describe.each(wireFormats)('%s', (format) => {
  test('every request begins with the bytes of the one before it, with stubs and at the end of a turn', async () => {
    const { server, send } = await setUp(
      format,
      [
        [{ call: { name: 'search_tools', input: { query: 'select:tool_3' } } }],
        [{ text: 'Loading. ' }, { call: { name: 'tool_7', input: {} } }],
        [
          { call: { name: 'tool_7', input: { path: 'x' } } },
          { call: { name: 'tool_3', input: { path: 'x' } } },
        ],
        [{ call: { name: 'read', input: {} } }],
        // The limit of continuations is reached.
        [{ text: 'That is all.' }],
        [{ text: 'You are welcome.' }],
      ],
      { limits: { continuations: 4 } },
      60,
    )
    expect(endOf(await send('Go.'))).toMatchObject({ reason: 'limit' })
    expect(endOf(await send('Thanks.'))).toMatchObject({ reason: 'answer' })
    expect(problemsOf(server)).toEqual([])
    expect(server.requests).toHaveLength(6)
    expectPrefixes(server.requests)
    expect(new Set(server.requests.map(({ body }) => text(body.tools))).size).toBe(1)
    expect(text(server.requests[0]!.body.tools)).toContain('search_tools')
    // The schema of a stub is only in its result.
    expect(text(server.requests[0]!.body.tools)).not.toContain('path')
    expect(text(server.requests[2]!.body)).toContain('tool_7 is loaded and did not run')
    const choice = {
      google: '"mode":"NONE"',
      anthropic: '"tool_choice":{"type":"none"}',
      openai: '"tool_choice":"none"',
    }
    expect(text(server.requests[4]!.body)).toContain(choice[format])
  })

  test('cache markers are where the provider expects them, or not there', async () => {
    const { server, send } = await setUp(format, [
      [{ call: { name: 'read', input: {} } }],
      [{ call: { name: 'read', input: {} } }],
      [{ text: 'Done.' }],
      [{ text: 'You are welcome.' }],
    ])
    await send('Go.')
    await send('Thanks.')
    expect(problemsOf(server)).toEqual([])
    for (const { body } of server.requests) {
      if (format !== 'anthropic') {
        expect(text(body)).not.toMatch(/cache/i)
        continue
      }
      const marker = { type: 'ephemeral' }
      const tools = body.tools as Record<string, unknown>[]
      expect(tools.at(-1)!.cache_control).toEqual(marker)
      expect((body.system as Record<string, unknown>[]).at(-1)!.cache_control).toEqual(marker)
      const messages = body.messages as { role: string; content: Record<string, unknown>[] }[]
      const users = messages.filter(({ role }) => role === 'user')
      for (const { content } of users.slice(-2)) expect(content.at(-1)!.cache_control).toEqual(marker)
      expect(text(body).match(/"cache_control":/g)).toHaveLength(2 + Math.min(2, users.length))
    }
  })

  /** A model that reads five times per prompt, and a provider that counts. */
  const script =
    (
      limit: number,
    ): ((request: Pick<RecordedRequest, 'path' | 'headers' | 'body'>, index: number) => Reply) =>
    (request, index) => {
      const input = tokensOf(request)
      if (input > limit) return { error: 'context-overflow' }
      const usage = { usage: { input, output: 20 } }
      if (isSummary(request)) return [{ text: 'It was about foxes.' }, usage]
      if (index % 6 === 5) return [{ text: 'Done.' }, usage]
      return [{ text: 'Reading. ' }, { call: { name: 'read', input: {} } }, usage]
    }

  test('with a known context window, no request is too long for the provider', async () => {
    const limit = 40_000
    const { server, send, agent } = await setUp(format, script(limit), { contextWindow: limit })
    const notices: ReturnType<typeof noticesOf> = []
    for (let turn = 0; turn < 16; turn++) {
      const events = await send(`Turn ${turn}. ${'Please read carefully. '.repeat(200)}`)
      expect(endOf(events)).toMatchObject({ reason: 'answer' })
      notices.push(...noticesOf(events))
    }
    expect(problemsOf(server)).toEqual([])
    for (const request of server.requests) expect(tokensOf(request)).toBeLessThan(limit)
    expect(notices.some(({ shortenedResults }) => shortenedResults > 0)).toBe(true)
    expect(notices.some(({ isSummarized }) => isSummarized)).toBe(true)
    // In large steps: most requests can use the cache.
    const changes = server.requests
      .slice(1)
      .filter((request, index) => !cachedPart(request).startsWith(beginning(server.requests[index]!)))
    expect(changes.length).toBeLessThan(server.requests.length / 4)
    expect(agent.getSnapshot().context.share).toBeLessThan(0.9)
  })

  test('with an unknown context window, the conversation goes on after the provider rejects a request', async () => {
    const { server, send, agent } = await setUp(format, script(16_000))
    const notices: ReturnType<typeof noticesOf> = []
    for (let turn = 0; turn < 6; turn++) {
      const events = await send(`Turn ${turn}.`)
      expect(endOf(events)).toMatchObject({ reason: 'answer' })
      notices.push(...noticesOf(events))
    }
    expect(problemsOf(server)).toEqual([])
    expect(notices).not.toEqual([])
    // From then on, the window is known.
    expect(server.requests.filter((request) => tokensOf(request) > 16_000)).toHaveLength(1)
    expect(agent.getSnapshot().context.window).toBeGreaterThan(12_000)
  })

  test('a prompt that is too long ends the turn, and the next one works', async () => {
    const { server, send } = await setUp(format, script(16_000), { contextWindow: 16_000 })
    expect(endOf(await send('a lot of text '.repeat(10_000)))).toMatchObject({
      reason: 'model-failure',
      message: expect.stringMatching(/too long for the model.*the context window is 16000/),
    })
    expect(endOf(await send('Go.'))).toMatchObject({ reason: 'answer' })
    expect(problemsOf(server)).toEqual([])
  })
})

test('Anthropic: the request and the longest possible response fit into the window', async () => {
  const window = 100_000
  const outputs: unknown[] = []
  const { server, send } = await setUp(
    'anthropic',
    (request) => {
      const maxTokens = Number(request.body.max_tokens)
      const input = tokensOf(request)
      outputs.push(maxTokens)
      if (input + maxTokens <= window) return [{ text: 'Done.' }, { usage: { input, output: 20 } }]
      const message = `input length and \`max_tokens\` exceed context limit: ${input} + ${maxTokens} > ${window}, decrease input length or \`max_tokens\` and try again`
      return { error: { status: 400, message } }
    },
    { contextWindow: window },
  )
  for (const words of [1, 8_000, 8_000, 8_000, 8_000])
    expect(endOf(await send('word '.repeat(words)))).toMatchObject({ reason: 'answer' })
  expect(problemsOf(server)).toEqual([])
  // As many as the model can write, as long as they fit.
  expect(outputs).toEqual([64_000, 64_000, 64_000, 64_000, 32_000])
})
