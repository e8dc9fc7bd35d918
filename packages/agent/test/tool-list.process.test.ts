import { createSession, resumeSession } from '@curfew/agent'
import { defineTool } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { endOf } from './support/agent-setup.ts'
import {
  manyTools,
  newFolder,
  noticesOf,
  type Runtime,
  reading,
  resultsOf,
  schema,
  sessionOptions,
  setUp,
  toolNames,
} from './support/context-setup.ts'

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
