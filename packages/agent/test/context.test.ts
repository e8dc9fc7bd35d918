import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type AgentEvent,
  type AgentOptions,
  createAgent,
  createSession,
  type HistoryItem,
  readSession,
  restoreHistory,
  resumeSession,
} from '@curfew/agent'
import { createRuntime, defineTool, toolResult } from '@curfew/core'
import { createFakeClock } from '@curfew/core/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { type ScriptedModel, type ScriptedResponse, scriptedModel } from './support/scripted-model.ts'
import { assertBalanced } from './support/session-data.ts'

const folders: string[] = []
const runtimes: Runtime[] = []
afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.close()))
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

type Script = readonly ScriptedResponse[] | ((request: number) => ScriptedResponse)
type Runtime = ReturnType<typeof createRuntime>

const schema = { type: 'object', properties: { path: { type: 'string' } } } as const

/** `read` returns 8,000 different characters: 2,000 tokens. */
function setUp(
  script: Script,
  options: Partial<AgentOptions> = {},
  register: (runtime: Runtime) => void = () => {},
) {
  const { clock } = options
  const runtime = createRuntime({
    approval: 'allow',
    log: () => {},
    loops: false,
    ...(clock !== undefined && { clock }),
  })
  runtimes.push(runtime)
  let reads = 0
  runtime.register(
    defineTool({ name: 'read', description: 'Read.', execute: () => longText(`read ${++reads}`) }),
  )
  register(runtime)
  const model: ScriptedModel = scriptedModel((request) => {
    const { prompt, tools } = model.requests[request]!
    const response = typeof script === 'function' ? script(request) : script[request]!
    return { inputTokens: Math.round(JSON.stringify([prompt, tools]).length / 4), ...response }
  })
  const agent = createAgent({ model, runtime, ...options })
  const send = async (prompt: string, signal?: AbortSignal) => {
    const events: AgentEvent[] = []
    for await (const event of agent.send(prompt, { signal })) events.push(event)
    return events
  }
  return { runtime, model, agent, send, items: () => agent.getSnapshot().items }
}

const longText = (name: string, length = 8_000): string => {
  const line = `${name}: the quick brown fox jumps over the lazy dog. `
  return line.repeat(Math.ceil(length / line.length)).slice(0, length)
}
const endOf = (events: readonly AgentEvent[]) => {
  const last = events.at(-1)!
  return last.type === 'end' ? last.reason : null
}
const noticesOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) =>
    event.type === 'notice' && event.notice.kind === 'context' ? [event.notice] : [],
  )
const resultsOf = (items: readonly HistoryItem[]) =>
  items.flatMap((item) => (item.type === 'results' ? item.results : []))
const toolNames = (model: ScriptedModel, request = 0) =>
  (model.requests[request]!.tools ?? []).map(({ name }) => name)
const isSummaryRequest = ({ requests }: ScriptedModel, request: number) =>
  JSON.stringify(requests[request]!.prompt.at(-1)).includes('Summarize this conversation')
const reading = { calls: [{ name: 'read' }] }

const manyTools =
  (count: number, size = 0) =>
  (runtime: Runtime) => {
    for (let index = 0; index < count; index++)
      runtime.register(
        defineTool({
          name: `tool_${index}`,
          description: `Do ${index}.${' Really.'.repeat(size)}`,
          parameters: schema,
          execute: () => `ran ${index}`,
        }),
      )
  }

describe('the view of the tools', () => {
  test.each([
    { count: 39, size: 0, contextWindow: undefined, isStub: false },
    { count: 40, size: 0, contextWindow: undefined, isStub: true },
    // 10 tools with 2,000 characters each.
    { count: 10, size: 250, contextWindow: 100_000, isStub: false },
    { count: 10, size: 250, contextWindow: 20_000, isStub: true },
  ])('$count tools and `read`: stubs $isStub', async ({ count, size, contextWindow, isStub }) => {
    const { send, model } = setUp([{ text: 'Hi.' }], { contextWindow }, manyTools(count, size))
    await send('Hi.')
    expect(toolNames(model).includes('search_tools')).toBe(isStub)
    const tool = model.requests[0]!.tools!.find(({ name }) => name === 'tool_1')
    expect(tool).toMatchObject({ inputSchema: { properties: isStub ? {} : schema.properties } })
    expect(JSON.stringify(model.requests[0]!.prompt[0]).includes('search_tools')).toBe(isStub)
  })

  test('a view that was chosen is kept', async () => {
    const { send, model } = setUp([{ text: 'Hi.' }], { conversation: { view: 'brief' } }, manyTools(100))
    await send('Hi.')
    expect(toolNames(model)).not.toContain('search_tools')
  })

  test('it is chosen once, with the first request', async () => {
    const { send, model, runtime } = setUp([{ text: 'Hi.' }, { text: 'Hi.' }])
    manyTools(10)(runtime)
    await send('Hi.')
    for (let index = 10; index < 100; index++)
      runtime.register(defineTool({ name: `late_${index}`, description: 'Late.', execute: () => 1 }))
    await send('Hi.')
    expect(toolNames(model, 1)).toHaveLength(101)
    expect(toolNames(model, 1)).not.toContain('search_tools')
  })

  test('stubs are found and loaded, and the list stays the same', async () => {
    const { send, model, items } = setUp(
      [
        { calls: [{ name: 'search_tools', input: { query: 'select:tool_7' } }] },
        { calls: [{ name: 'tool_7', input: { path: 'x' } }, { name: 'tool_8' }] },
        { calls: [{ name: 'tool_8' }] },
        { text: 'Done.' },
      ],
      { conversation: { tools: ['tool_*'] }, limits: { continuations: 3 } },
      manyTools(50),
    )
    expect(endOf(await send('Go.'))).toBe('limit')
    expect(resultsOf(items())).toMatchObject([
      { name: 'search_tools', content: expect.stringContaining('"path"') },
      { name: 'tool_7', content: 'ran 7' },
      { name: 'tool_8', loaded: true },
      { name: 'tool_8', content: 'ran 8' },
    ])
    expect(new Set(model.requests.map(({ tools }) => JSON.stringify(tools))).size).toBe(1)
    expect(model.requests.at(-1)!.toolChoice).toEqual({ type: 'none' })
  })
})

describe('near the end of the context window', () => {
  test('old results are shortened in one step, and their full text is in files', async () => {
    // 5 results of 2,000 tokens exceed 80 % of 12,000 tokens.
    const { send, model, items, agent } = setUp((request) => (request < 7 ? reading : { text: 'Done.' }), {
      contextWindow: 12_000,
    })
    const events = await send('Read.')
    expect(endOf(events)).toBe('answer')
    const notices = noticesOf(events)
    expect(notices).toMatchObject([
      { shortenedResults: 3, removedItems: 0, isSummarized: false, window: 12_000 },
    ])
    expect(notices[0]!.tokensBefore).toBeGreaterThan(9_600)
    expect(notices[0]!.tokensAfter).toBeLessThan(6_000)
    expect(notices[0]!.message).toMatch(/^3 old results were shortened to make room .* of 12,000 tokens$/)
    const results = resultsOf(items())
    expect(results).toHaveLength(7)
    for (const [index, { content, spillPath }] of results.entries()) {
      const full = longText(`read ${index + 1}`)
      if (index >= 3) expect(content).toBe(full)
      else {
        expect(content.length).toBeLessThan(1_300)
        expect(content).toContain(`the complete result is in ${spillPath}`)
        expect(readFileSync(spillPath!, 'utf8')).toBe(full)
      }
    }
    // The model sees the same.
    expect(JSON.stringify(model.requests.at(-1)!.prompt)).toContain('the complete result is in')
    assertBalanced(items())
    await agent.close()
    expect(existsSync(results[0]!.spillPath!)).toBe(false)
  })

  test('the tokens that the provider reports count, not only the estimate', async () => {
    const script = (request: number): ScriptedResponse =>
      request < 4 ? { ...reading, inputTokens: (request + 1) * 3_000 } : { text: 'Done.', inputTokens: 10 }
    const { send, agent } = setUp(script, { contextWindow: 14_000 })
    const before = agent.getSnapshot().context
    expect(before).toMatchObject({ window: 14_000 })
    const notices = noticesOf(await send('Read.'))
    // The fourth response had 12,005 tokens.
    expect(notices).toHaveLength(1)
    expect(notices[0]!.tokensBefore).toBeGreaterThan(12_000)
    const { context } = agent.getSnapshot()
    expect(context.share).toBeCloseTo(context.tokens / 14_000)
  })

  test('images of old results become a line', async () => {
    const image = { type: 'image', data: 'aGVsbG8h'.repeat(100), mediaType: 'image/png' } as const
    const { send, items } = setUp(
      (request) => (request < 6 ? { calls: [{ name: 'see' }] } : { text: 'Done.' }),
      { contextWindow: 8_000 },
      (runtime) =>
        runtime.register(
          defineTool({
            name: 'see',
            description: 'See.',
            execute: () => toolResult({ content: 'A picture', parts: [image] }),
          }),
        ),
    )
    expect(noticesOf(await send('Look.'))).not.toEqual([])
    const results = resultsOf(items())
    expect(results[0]).not.toHaveProperty('parts')
    expect(results[0]!.content).toBe(
      'A picture\n[image image/png, 600 bytes]\n[files of old results are removed from the conversation]',
    )
    expect(results.at(-1)!.parts).toContainEqual(image)
  })

  test('then old messages are replaced by a summary that the model writes', async () => {
    const { send, model, items, agent } = setUp(
      (request) =>
        isSummaryRequest(model, request) ? { text: 'It was about foxes.' } : { text: longText('A') },
      { contextWindow: 12_000 },
    )
    let notices: ReturnType<typeof noticesOf> = []
    for (let turn = 1; notices.length === 0 && turn < 10; turn++)
      notices = noticesOf(await send(`Turn ${turn}.`))
    expect(notices).toMatchObject([{ shortenedResults: 0, removedItems: 12, isSummarized: true }])
    expect(notices[0]!.message).toContain('the oldest 12 messages were replaced by a summary')
    expect(items()).toMatchObject([
      { type: 'user', source: 'summary', parts: [{ text: expect.stringContaining('It was about foxes.') }] },
      { type: 'user', source: 'person', parts: [{ text: 'Turn 7.' }] },
      { type: 'assistant' },
    ])
    const at = model.requests.findIndex((_, request) => isSummaryRequest(model, request))
    const [before, summary, after] = model.requests.slice(at - 1)
    // The provider has the beginning of the request in its cache.
    expect(summary!.prompt.slice(0, before!.prompt.length)).toEqual(before!.prompt)
    expect(summary).toMatchObject({ toolChoice: { type: 'none' }, tools: before!.tools })
    expect(JSON.stringify(after!.prompt)).toContain('Turn 7.')
    expect(after!.prompt.map(({ role }) => role)).toEqual(['user'])
    expect(agent.usage().requests).toBe(model.requests.length)
  })

  test('in a long turn, the prompt and the last two batches stay', async () => {
    const { send, model, items } = setUp(
      (request) => {
        if (isSummaryRequest(model, request)) return { text: 'Many short results.' }
        if (request > 60) return { text: 'Done.' }
        return {
          text: longText('thinking', 1_500),
          calls: [{ name: 'tool_1', input: { path: `${request}` } }],
        }
      },
      { contextWindow: 6_000 },
      manyTools(2),
    )
    const events = await send('The prompt.')
    expect(endOf(events)).toBe('answer')
    const notices = noticesOf(events)
    expect(notices.length).toBeGreaterThan(2)
    for (const { isSummarized, tokensAfter } of notices) {
      expect(isSummarized).toBe(true)
      expect(tokensAfter).toBeLessThan(3_000)
    }
    expect(items().slice(0, 2)).toMatchObject([
      { source: 'summary' },
      { source: 'person', parts: [{ text: 'The prompt.' }] },
    ])
    expect(items().filter((item) => item.type === 'user' && item.source === 'summary')).toHaveLength(1)
    assertBalanced(items())
    for (const { prompt } of model.requests) expect(JSON.stringify(prompt)).toContain('The prompt.')
  })

  test.each<[string, ScriptedResponse]>([
    ['fails', { error: new Error('broken') }],
    ['is empty', { text: '' }],
    ['is cut off', { text: 'It was', error: new Error('connection lost') }],
  ])('if the summary %s, the oldest messages are removed with a note', async (_, response) => {
    const { send, model, items } = setUp(
      (request) => (isSummaryRequest(model, request) ? response : { text: longText('A') }),
      { contextWindow: 12_000, limits: { model: { maxAttempts: 1 } } },
    )
    const notices: ReturnType<typeof noticesOf> = []
    for (let turn = 1; turn < 20; turn++) {
      const events = await send(`Turn ${turn}.`)
      expect(endOf(events)).toBe('answer')
      notices.push(...noticesOf(events))
    }
    expect(notices.length).toBeGreaterThan(2)
    for (const notice of notices) expect(notice).toMatchObject({ isSummarized: false })
    expect(items()[0]).toMatchObject({
      source: 'summary',
      parts: [
        { text: '[The oldest messages were removed, because they did not fit into the context window.]' },
      ],
    })
    // Not more than necessary.
    expect(items().length).toBeGreaterThan(4)
  })

  test('a summary that never comes ends at the limits of a request', async () => {
    const clock = createFakeClock()
    const { send, model, agent } = setUp(
      (request) => (isSummaryRequest(model, request) ? { text: 'It', stall: true } : { text: longText('A') }),
      { contextWindow: 12_000, clock, limits: { model: { idle: '20s' } } },
    )
    let events: AgentEvent[] = []
    for (let turn = 1; turn < 10 && noticesOf(events).length === 0; turn++) {
      let isDone = false
      const sending = send(`Turn ${turn}.`).then((sent) => {
        isDone = true
        return sent
      })
      while (!isDone) {
        await wait(5)
        if (isSummaryRequest(model, model.requests.length - 1)) await clock.advance(20_000)
      }
      events = await sending
    }
    expect(endOf(events)).toBe('answer')
    expect(noticesOf(events)).toMatchObject([{ isSummarized: false }])
    await agent.close()
  })

  test('without a budget for it, no summary is requested', async () => {
    const { send, model } = setUp(() => ({ text: longText('A') }), {
      contextWindow: 12_000,
      budget: { conversation: { tokens: 20_000 } },
    })
    const reasons: unknown[] = []
    for (let turn = 1; turn < 8; turn++) reasons.push(endOf(await send(`Turn ${turn}.`)))
    expect(reasons).toContain('budget')
    expect(model.requests.some((_, request) => isSummaryRequest(model, request))).toBe(false)
  })

  test('nothing is lost because the model is unavailable at the moment', async () => {
    const overloaded = Object.assign(new Error('Overloaded'), { name: 'AI_APICallError', statusCode: 529 })
    const quota = Object.assign(new Error('Your credit balance is too low'), {
      name: 'AI_APICallError',
      statusCode: 400,
    })
    const fallback = scriptedModel(
      (request) => ({ text: isSummaryRequest(fallback, request) ? 'A summary.' : 'From the fallback.' }),
      'fallback',
    )
    let isUnavailable = false
    const { send, model, items } = setUp(
      (request) => {
        if (!isUnavailable && !isSummaryRequest(model, request)) return { text: longText('A') }
        isUnavailable = true
        return { error: isSummaryRequest(model, request) ? overloaded : quota }
      },
      { contextWindow: 12_000, fallback, limits: { model: { maxAttempts: 1 } } },
    )
    let events: AgentEvent[] = []
    for (let turn = 1; !isUnavailable && turn < 10; turn++) events = await send(`Turn ${turn}.`)
    expect(endOf(events)).toBe('model-switched')
    expect(noticesOf(events)).toEqual([])
    expect(items()[0]).toMatchObject({ source: 'person' })
    expect(noticesOf(await send('Go on.'))).toMatchObject([{ isSummarized: true }])
    expect(items().at(-1)).toMatchObject({ model: 'test:fallback' })
  })

  test('a file that is gone is written again; if that fails, the conversation goes on', async () => {
    const item = (id: number, content: string, spillPath?: string): HistoryItem[] => [
      { id, at: 1, type: 'user', source: 'person', parts: [{ type: 'text', text: 'Read.' }] },
      {
        id: id + 1,
        at: 1,
        type: 'assistant',
        model: 'test:scripted',
        parts: [{ type: 'call', callId: `c${id}`, name: 'read', input: {} }],
      },
      {
        id: id + 2,
        at: 1,
        type: 'results',
        results: [
          {
            callId: `c${id}`,
            name: 'read',
            status: 'success',
            content,
            ...(spillPath !== undefined && { spillPath }),
          },
        ],
      },
    ]
    const folder = newFolder()
    const kept = join(folder, 'kept.txt')
    writeFileSync(kept, 'the complete result')
    const history = [
      ...item(1, longText('gone'), join(folder, 'gone.txt')),
      ...item(4, longText('kept'), kept),
      ...item(7, longText('third')),
      ...item(10, longText('fourth')),
      ...item(13, longText('fifth')),
    ]
    const { send, items } = setUp([{ text: 'Done.' }], { contextWindow: 12_000, history })
    await send('Go on.')
    const [gone, second] = resultsOf(items())
    expect(readFileSync(gone!.spillPath!, 'utf8')).toBe(longText('gone'))
    expect(second).toMatchObject({ spillPath: kept })
    // A file is where the folder should be.
    const runtime = createRuntime({ log: () => {}, spillDirectory: join(kept, 'folder') })
    runtimes.push(runtime)
    const agent = createAgent({
      model: scriptedModel([{ text: 'Done.' }]),
      runtime,
      contextWindow: 12_000,
      history,
    })
    const events: AgentEvent[] = []
    for await (const event of agent.send('Go on.')) events.push(event)
    expect(endOf(events)).toBe('answer')
    expect(resultsOf(agent.getSnapshot().items)[0]!.content).toContain('they could not be saved')
  })

  test('ESC during the summary ends the turn and changes nothing', async () => {
    const { send, model, items, agent } = setUp(
      (request) =>
        isSummaryRequest(model, request) ? { text: 'It was', stall: true } : { text: longText('A') },
      { contextWindow: 12_000 },
    )
    for (let turn = 1; turn < 7; turn++) await send(`Turn ${turn}.`)
    const before = items()
    const running = send('Turn 7.')
    await expect.poll(() => isSummaryRequest(model, model.requests.length - 1)).toBe(true)
    agent.cancel()
    const events = await running
    expect(endOf(events)).toBe('abort')
    expect(noticesOf(events)).toEqual([])
    expect(items().slice(0, -1)).toEqual(before)
    for (const [index, item] of before.entries()) expect(items()[index]).toBe(item)
  })

  test('a batch that alone is too long is shortened, too', async () => {
    const { send, items } = setUp(
      (request) =>
        request === 0 ? { calls: Array.from({ length: 10 }, () => ({ name: 'read' })) } : { text: 'Done.' },
      { contextWindow: 12_000 },
    )
    const events = await send('Read.')
    expect(endOf(events)).toBe('answer')
    expect(noticesOf(events)).toMatchObject([{ removedItems: 0 }])
    const [last] = resultsOf(items()).slice(-1)
    expect(last!.content).toBe(longText('read 10'))
  })

  test('nothing is repeated before every request if the person wrote too much', async () => {
    const { send, model } = setUp(
      (request) => (request < 4 ? { calls: [{ name: 'tool_1' }] } : { text: 'Done.' }),
      {
        contextWindow: 12_000,
      },
      manyTools(2),
    )
    const events = await send(longText('prompt', 44_000))
    expect(endOf(events)).toBe('answer')
    expect(noticesOf(events)).toEqual([])
    expect(model.requests).toHaveLength(5)
  })

  test('a large prompt does not lead to a summary before every request', async () => {
    const { send, model, items } = setUp(
      (request) => {
        if (isSummaryRequest(model, request)) return { text: 'Many short results.' }
        return request < 40
          ? { calls: [{ name: 'tool_1', input: { path: `${request}` } }] }
          : { text: 'Done.' }
      },
      { contextWindow: 12_000 },
      manyTools(2),
    )
    expect(endOf(await send(longText('prompt', 37_000)))).toBe('answer')
    const summaries = model.requests.filter((_, request) => isSummaryRequest(model, request))
    expect(summaries.length).toBeLessThan(5)
    expect(items().length).toBeLessThan(80)
  })

  test('unchanged items keep their identity', async () => {
    const { send, items } = setUp((request) => (request % 7 === 6 ? { text: 'Done.' } : reading), {
      contextWindow: 12_000,
    })
    await send('Read.')
    const seen = items()
    await send('Read.')
    const after = new Map(items().map((item) => [item.id, item]))
    for (const item of seen.filter(({ type }) => type === 'user')) expect(after.get(item.id)).toBe(item)
  })
})

describe('a request that the provider rejects as too long', () => {
  const overflow = Object.assign(new Error('prompt is too long: 213462 tokens > 200000 maximum'), {
    name: 'AI_APICallError',
    statusCode: 400,
  })

  test('is repeated once with less, and the window is remembered', async () => {
    let rejected = 0
    const { send, model, agent } = setUp((request) => {
      if (request < 5) return reading
      if (rejected++ === 0) return { error: overflow }
      return { text: 'Done.' }
    })
    const events = await send('Read.')
    expect(endOf(events)).toBe('answer')
    expect(noticesOf(events)).toMatchObject([{ shortenedResults: 3 }])
    expect(model.requests).toHaveLength(7)
    const { window } = agent.getSnapshot().context
    expect(window).toBeGreaterThan(10_000)
    expect(window).toBeLessThan(11_000)
  })

  test('ends the turn if it is rejected again, and the message names the window', async () => {
    const { send, model } = setUp((request) => (request < 5 ? reading : { error: overflow }), {
      contextWindow: 20_000,
    })
    const events = await send('Read.')
    expect(events.at(-1)).toMatchObject({
      reason: 'model-failure',
      message: expect.stringMatching(
        /too long for the model.*has about \d+ tokens, and the context window is \d+/,
      ),
    })
    expect(model.requests).toHaveLength(7)
  })

  test('is not repeated if nothing can be removed', async () => {
    const { send, model } = setUp(() => ({ error: overflow }))
    const events = await send('Hi.')
    expect(events.at(-1)).toMatchObject({
      reason: 'model-failure',
      message: expect.stringContaining('the request has about'),
    })
    expect(model.requests).toHaveLength(1)
  })
})

describe('stubs', () => {
  const bigSchema = {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `option_${index}`,
        { type: 'string', description: 'One of many options.' },
      ]),
    ),
  } as const
  const registerBig = (ran: unknown[]) => (runtime: Runtime) => {
    runtime.register(
      defineTool({
        name: 'big',
        description: 'Big.',
        parameters: bigSchema,
        execute: (params) => {
          ran.push(params)
          return 'ran'
        },
      }),
    )
  }

  test('whose definition was shortened are unloaded, and the session knows', async () => {
    const ran: unknown[] = []
    const records: unknown[] = []
    const session = {
      append: (record: unknown) => records.push(record),
      written: async () => {},
      flush: async () => {},
    }
    const { send, items } = setUp(
      (request) => {
        if (request === 0) return { calls: [{ name: 'big' }] }
        if (request === 1) return { calls: [{ name: 'big' }] }
        if (request < 7) return reading
        return request === 7 ? { calls: [{ name: 'big' }] } : { text: 'Done.' }
      },
      { contextWindow: 12_000, conversation: { view: 'stub' }, session },
      registerBig(ran),
    )
    const events = await send('Go.')
    expect(noticesOf(events)).toMatchObject([{ removedItems: 0 }])
    const results = resultsOf(items()).filter(({ name }) => name === 'big')
    expect(results).toMatchObject([{ spillPath: expect.any(String) }, { content: 'ran' }, { loaded: true }])
    expect(results[0]).not.toHaveProperty('loaded')
    // It ran while it was loaded, and not blindly afterwards.
    expect(ran).toEqual([{}])
    const loaded = records.filter((record) => (record as { type: string }).type === 'loaded')
    expect(loaded).toEqual([
      { type: 'loaded', tools: ['big'] },
      { type: 'loaded', tools: ['big', 'read'] },
      { type: 'loaded', tools: ['read'] },
      { type: 'loaded', tools: ['read', 'big'] },
    ])
  })

  test('whose definition is part of a summary are unloaded', async () => {
    const ran: unknown[] = []
    const { send, agent } = setUp(
      [
        { calls: [{ name: 'big' }] },
        { text: 'Loaded.' },
        { text: 'Second.' },
        { text: 'A summary.' },
        { calls: [{ name: 'big' }] },
        { text: 'Done.' },
      ],
      { conversation: { view: 'stub' } },
      registerBig(ran),
    )
    await send('Load.')
    await send('Second.')
    expect(await agent.compact()).toMatchObject({ isSummarized: true })
    await send('Run.')
    expect(ran).toEqual([])
  })

  test('are loaded again when the conversation is resumed', async () => {
    const folder = newFolder()
    const ran: unknown[] = []
    const session = await createSession({ ...sessionOptions(folder), project: folder, model: 'test' })
    const view = { conversation: { view: 'stub' as const } }
    const first = setUp(
      [{ calls: [{ name: 'big' }] }, { text: 'Loaded.' }],
      { ...view, session },
      registerBig(ran),
    )
    await first.send('Load.')
    await session.close()
    const { history, session: resumed } = await resumeSession({ ...sessionOptions(folder), id: session.id })
    expect(history.loaded).toEqual(['big'])
    const { items, loaded } = history
    const options = { ...view, history: items, loaded, session: resumed }
    const second = setUp([{ calls: [{ name: 'big' }] }, { text: 'Ran.' }], options, registerBig(ran))
    await second.send('Run.')
    expect(ran).toEqual([{}])
    await resumed.close()
  })
})

describe('compact', () => {
  const turns = async ({ send }: ReturnType<typeof setUp>, count: number) => {
    for (let turn = 1; turn <= count; turn++) await send(`Turn ${turn}.`)
  }

  test('replaces old messages by a summary, with instructions of the person', async () => {
    const set = setUp((request) => ({ text: request === 3 ? 'The summary.' : `Answer ${request + 1}.` }))
    await turns(set, 3)
    const before = set.items()
    expect(await set.agent.compact('keep the names')).toMatchObject({
      kind: 'context',
      removedItems: 4,
      isSummarized: true,
    })
    expect(JSON.stringify(set.model.requests[3]!.prompt.at(-1))).toContain('The person adds: keep the names')
    expect(set.items()).toMatchObject([
      { source: 'summary', parts: [{ text: expect.stringContaining('The summary.') }] },
      { source: 'person', parts: [{ text: 'Turn 3.' }] },
      { type: 'assistant' },
    ])
    expect(set.items().slice(1)).toEqual(before.slice(4))
    expect(set.items()[1]).toBe(before[4])
    expect(set.agent.getSnapshot().streamingState).toBe('idle')
    expect(endOf(await set.send('Go on.'))).toBe('answer')
    expect(set.agent.usage().requests).toBe(5)
  })

  test('resolves to null if there is nothing to summarise', async () => {
    const set = setUp([{ text: 'Hi.' }])
    expect(await set.agent.compact()).toBeNull()
    await turns(set, 1)
    expect(await set.agent.compact()).toBeNull()
    expect(set.model.requests).toHaveLength(1)
  })

  test('is rejected while a turn runs, and a prompt that is sent meanwhile waits for it', async () => {
    const set = setUp((request) =>
      request === 2 ? { text: 'So', stall: true } : { text: `Answer ${request + 1}.` },
    )
    await turns(set, 2)
    const running = set.send('Turn 3.')
    await expect(set.agent.compact()).rejects.toThrow('compact: a turn is running')
    await expect.poll(() => set.model.requests.length).toBe(3)
    set.agent.cancel()
    await running
    const compacting = set.agent.compact()
    const next = set.send('Turn 4.')
    expect(set.agent.getSnapshot()).toMatchObject({ streamingState: 'responding', queued: ['Turn 4.'] })
    expect(await compacting).toMatchObject({ isSummarized: true })
    expect(endOf(await next)).toBe('answer')
    expect(set.items()[0]).toMatchObject({ source: 'summary' })
  })

  test('rejects if the model fails or the person cancels, and changes nothing', async () => {
    const set = setUp(
      (request) =>
        request === 3
          ? { error: new Error('broken') }
          : request === 4 || request === 5
            ? { text: 'So', stall: true }
            : { text: 'Answer.' },
      { limits: { model: { maxAttempts: 1 } } },
    )
    await turns(set, 3)
    const before = set.items()
    await expect(set.agent.compact()).rejects.toMatchObject({ name: 'ModelError' })
    const controller = new AbortController()
    const aborted = set.agent.compact('', { signal: controller.signal })
    controller.abort()
    await expect(aborted).rejects.toMatchObject({ kind: 'aborted' })
    const cancelled = set.agent.compact()
    set.agent.cancel()
    await expect(cancelled).rejects.toMatchObject({ kind: 'aborted' })
    expect(set.items()).toEqual(before)
    await set.agent.close()
    await expect(set.agent.compact()).rejects.toMatchObject({ code: 'CONVERSATION_CLOSED' })
  })

  test('rejects if the budget is used up', async () => {
    const set = setUp(() => ({ text: 'Answer.' }), { budget: { conversation: { tokens: 200 } } })
    await turns(set, 3)
    await expect(set.agent.compact()).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  })
})

test('a saved session has the reduced history', async () => {
  const folder = newFolder()
  const session = await createSession({ ...sessionOptions(folder), project: folder, model: 'test' })
  const { send, model, items, agent } = setUp(
    (request) => {
      if (isSummaryRequest(model, request)) return { text: 'A summary.' }
      if (request % 9 === 8) return { text: longText('answer') }
      return { text: longText('thinking', 1_000), ...reading }
    },
    { contextWindow: 12_000, session },
  )
  const notices: ReturnType<typeof noticesOf> = []
  for (let turn = 1; turn < 8; turn++) {
    notices.push(...noticesOf(await send(`Turn ${turn}.`)))
    const { records } = await readSession(session.path)
    expect(restoreHistory(records).items).toEqual(items())
  }
  expect(notices.some(({ shortenedResults }) => shortenedResults > 0)).toBe(true)
  expect(notices.some(({ isSummarized }) => isSummarized)).toBe(true)
  // A copy of the session, too.
  const copy = await resumeSession({ ...sessionOptions(folder), id: session.id })
  expect(copy.history.items).toEqual(items())
  const { records } = await readSession(copy.session.path)
  expect(restoreHistory(records).items).toEqual(items())
  await copy.session.close()
  await session.close()
  await agent.close()
})

test.each([0, -1, 999, Number.NaN, Number.POSITIVE_INFINITY, '8k'])(
  'rejects a context window of %s',
  (contextWindow) => {
    expect(() => setUp([], { contextWindow: contextWindow as number })).toThrow(
      'contextWindow: expected a number of tokens, at least 1000',
    )
  },
)

test('the window may depend on the model', async () => {
  const names: string[] = []
  const { agent, send } = setUp([{ text: 'Hi.' }], {
    contextWindow: (name) => {
      names.push(name)
      return 50_000
    },
  })
  await send('Hi.')
  expect(new Set(names)).toEqual(new Set(['test:scripted']))
  expect(agent.getSnapshot().context).toMatchObject({ window: 50_000 })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'curfew-agent-'))
  folders.push(folder)
  return folder
}

function sessionOptions(folder: string) {
  return {
    folder,
    redact: <T>(value: T): T => value,
    onProblem: (problem: string) => {
      throw new Error(problem)
    },
  }
}
