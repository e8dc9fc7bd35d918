import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type AgentEvent,
  createAgent,
  createSession,
  type HistoryItem,
  readSession,
  restoreHistory,
  resumeSession,
} from '@curfew/agent'
import { createRuntime, defineTool, toolResult } from '@curfew/core'
import { createFakeClock } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'
import { endOf } from './support/agent-setup.ts'
import {
  isSummaryRequest,
  longText,
  manyTools,
  newFolder,
  noticesOf,
  reading,
  resultsOf,
  runtimes,
  sessionOptions,
  setUp,
} from './support/context-setup.ts'
import { type ScriptedResponse, scriptedModel } from './support/scripted-model.ts'
import { assertBalanced } from './support/session-data.ts'

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
