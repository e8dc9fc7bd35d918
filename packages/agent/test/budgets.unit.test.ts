import { type AgentEvent, type AgentOptions, createAgent } from '@curfew/agent'
import { defineTool, type Runtime } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { endMessage, endOf, type Script, setUp } from './support/agent-setup.ts'
import { scriptedModel } from './support/scripted-model.ts'

/** Registers a tool that runs an agent. Returns the ends of its turns, and all its models. */
function addSubagent(
  runtime: Runtime,
  script: Script,
  options: Partial<AgentOptions> = {},
  { detached = false, name = 'subagent' } = {},
) {
  const ends: (AgentEvent & { type: 'end' })[] = []
  const models: ReturnType<typeof scriptedModel>[] = []
  const problems: unknown[] = []
  runtime.register(
    defineTool({
      name,
      description: 'Run an agent.',
      readOnly: true,
      concurrent: true,
      async execute(_params, context) {
        if (detached) await context.detach()
        const model = scriptedModel(script, 'inner')
        models.push(model)
        try {
          const agent = createAgent({ model, runtime, within: context, ...options })
          for await (const event of agent.send('Go.')) if (event.type === 'end') ends.push(event)
          return agent.usage()
        } catch (error) {
          problems.push(error)
          throw error
        }
      },
    }),
  )
  return { ends, models, problems, requests: () => models.flatMap(({ requests }) => requests).length }
}

/** Each request uses 150 tokens. */
const counting: Script = () => ({ calls: [{ name: 'count' }] })

describe('what an agent inside a tool uses', () => {
  test('counts in the turn and in the conversation around it', async () => {
    const { send, agent, runtime } = setUp([{ calls: [{ name: 'subagent' }] }, { text: 'Done.' }])
    addSubagent(runtime, [{ calls: [{ name: 'count' }] }, { text: 'Done.' }])
    expect(endOf(await send('Go.'))).toBe('answer')
    expect(agent.usage()).toMatchObject({ requests: 4, inputTokens: 400, outputTokens: 200 })
    expect(agent.turnUsage()).toMatchObject({ requests: 4 })
  })

  test('winds it down, and then the agent around it, when the budget of the turn is used up', async () => {
    const { send, model, runtime } = setUp([{ calls: [{ name: 'subagent' }] }, { text: 'Done.' }], {
      budget: { turn: { tokens: 600 } },
    })
    const { ends, models } = addSubagent(runtime, (request) =>
      models[0]!.requests[request]!.toolChoice?.type === 'none'
        ? { text: 'Enough.' }
        : { calls: [{ name: 'count' }] },
    )
    expect(endOf(await send('Go.'))).toBe('budget')
    // 150 tokens of the outer model, and 450 of the inner one before its last answer.
    expect(models[0]!.requests).toHaveLength(4)
    expect(ends).toMatchObject([{ reason: 'budget', message: expect.stringContaining('budget.turn.tokens') }])
    expect(model.requests).toHaveLength(2)
    expect(model.requests.at(-1)).toMatchObject({ toolChoice: { type: 'none' } })
  })

  test('counts at every level', async () => {
    const { send, agent, runtime } = setUp([{ calls: [{ name: 'middle' }] }, { text: 'Done.' }], {
      budget: { conversation: { tokens: 900 } },
    })
    addSubagent(runtime, [{ calls: [{ name: 'subagent' }] }, { text: 'Done.' }], {}, { name: 'middle' })
    const { ends } = addSubagent(runtime, counting)
    expect(endOf(await send('Go.'))).toBe('budget')
    expect(ends).toMatchObject([
      { reason: 'budget', message: expect.stringContaining('budget.conversation') },
    ])
    expect(agent.usage().requests).toBeLessThanOrEqual(6 + 3)
  })

  test('also counts if a conversation without an agent is in between', async () => {
    const { send, agent, runtime } = setUp([{ calls: [{ name: 'middle' }] }, { text: 'Done.' }])
    runtime.register(
      defineTool({
        name: 'middle',
        description: 'Run a tool in a conversation.',
        execute: async (_params, context) => {
          await context.conversation().execute([{ id: 'x', name: 'subagent', params: {} }])
        },
      }),
    )
    addSubagent(runtime, [{ text: 'Done.' }])
    await send('Go.')
    expect(agent.usage()).toMatchObject({ requests: 3 })
  })

  test('of several agents at once counts together', async () => {
    const { send, agent, runtime } = setUp(
      [{ calls: Array.from({ length: 4 }, () => ({ name: 'subagent' })) }, { text: 'Done.' }],
      { budget: { turn: { tokens: 1_500 } } },
    )
    const { ends, requests } = addSubagent(runtime, counting)
    expect(endOf(await send('Go.'))).toBe('budget')
    expect(ends.map(({ reason }) => reason)).toEqual(['budget', 'budget', 'budget', 'budget'])
    // Each may have one request under way, and gives one last answer.
    expect(requests()).toBeLessThanOrEqual(9 + 3 + 4)
    expect(agent.usage().requests).toBe(requests() + 2)
  })

  test('counts if a person started it, with the budget of a turn', async () => {
    const { agent, runtime } = setUp([], {
      budget: { turn: { tokens: 450 }, conversation: { tokens: 1_000 } },
    })
    const { ends, requests } = addSubagent(runtime, counting)
    for (const used of [4, 8]) {
      await agent.runAsPerson({ name: 'subagent', params: {} })
      expect(requests()).toBe(used)
    }
    expect(ends).toMatchObject([
      { reason: 'budget', message: expect.stringContaining('budget.turn') },
      { reason: 'budget' },
    ])
    expect(agent.usage()).toMatchObject({ requests: 8 })
    // Nothing is left for a third one, which does not even ask its model.
    await agent.runAsPerson({ name: 'subagent', params: {} })
    expect(requests()).toBe(8)
    expect(ends.at(-1)).toMatchObject({
      reason: 'budget',
      message: expect.stringContaining('budget.conversation'),
    })
  })

  test('counts in the conversation if it goes on in the background after the turn', async () => {
    let release = (): void => {}
    const { send, agent, runtime } = setUp([{ calls: [{ name: 'subagent' }] }, { text: 'Done.' }])
    runtime.register(
      defineTool({
        name: 'wait',
        description: 'Wait.',
        execute: () =>
          new Promise<void>((resolve) => {
            release = resolve
          }),
      }),
    )
    const { ends } = addSubagent(
      runtime,
      [{ calls: [{ name: 'wait' }] }, { text: 'Done.' }],
      {},
      { detached: true },
    )
    expect(endOf(await send('Go.'))).toBe('answer')
    await expect
      .poll(() => runtime.getSnapshot().calls.at(-1))
      .toMatchObject({ name: 'wait', status: 'executing' })
    release()
    await expect.poll(() => ends.length).toBe(1)
    expect(agent.usage()).toMatchObject({ requests: 4 })
  })

  test('does not count elsewhere', async () => {
    const { send, agent, runtime } = setUp([{ text: 'Done.' }])
    addSubagent(runtime, [{ text: 'Done.' }])
    await runtime.execute([{ id: 'x', name: 'subagent', params: {} }])
    await send('Go.')
    expect(agent.usage()).toMatchObject({ requests: 1 })
  })
})

describe('an agent inside a tool', () => {
  test('ends with the call', async () => {
    const { send, agent, runtime } = setUp([{ calls: [{ name: 'subagent' }] }])
    const { ends, models } = addSubagent(runtime, [{ text: 'Once', stall: true }])
    const running = send('Go.')
    await expect.poll(() => models[0]?.requests.length).toBe(1)
    agent.cancel()
    expect(endOf(await running)).toBe('abort')
    expect(ends).toMatchObject([{ reason: 'abort' }])
    expect(runtime.getSnapshot().calls).toMatchObject([{ status: 'cancelled', abandoned: false }])
  })

  test('ends even if the tool forgets it', async () => {
    const { send, runtime } = setUp([{ calls: [{ name: 'forget' }] }, { text: 'Done.' }])
    const events: AgentEvent[] = []
    let sendLater = (): unknown => undefined
    runtime.register(
      defineTool({
        name: 'forget',
        description: 'Start an agent.',
        async execute(_params, context) {
          const model = scriptedModel([{ text: 'Once', stall: true }])
          const inner = createAgent({ model, runtime, within: context })
          sendLater = () => inner.send('Again.')
          void (async () => {
            for await (const event of inner.send('Go.')) events.push(event)
          })()
          await expect.poll(() => model.requests.length).toBe(1)
        },
      }),
    )
    expect(endOf(await send('Go.'))).toBe('answer')
    await expect.poll(() => events.at(-1)).toMatchObject({ type: 'end', reason: 'abort' })
    expect(sendLater).toThrow('the agent is closed')
  })
})

describe('a budget in money', () => {
  const prices = { 'test:scripted': { input: 1, output: 1 } }
  const money = { turn: { money: 1 } }

  test('needs the price of the model, the fallback, and a model that is switched to', () => {
    expect(() => setUp([], { budget: money })).toThrow('the price of test:scripted is unknown')
    const fallback = scriptedModel([], 'other')
    expect(() => setUp([], { budget: money, prices, fallback })).toThrow('the price of test:other is unknown')
    const { agent } = setUp([], { budget: money, prices })
    expect(() => agent.setModel(fallback)).toThrow('the price of test:other is unknown')
    expect(agent.getSnapshot().model).toBe('test:scripted')
  })

  test('needs the price of an agent inside a tool, which need not repeat the prices', async () => {
    const { send, runtime, agent } = setUp([{ calls: [{ name: 'subagent' }] }, { text: 'Done.' }], {
      budget: money,
      prices: { ...prices, 'test:inner': { input: 1_000, output: 1_000 } },
    })
    addSubagent(runtime, [{ text: 'Done.' }])
    await send('Go.')
    expect(agent.usage().money).toBeCloseTo(0.15 + 0.0003)
    const unpriced = setUp([{ calls: [{ name: 'subagent' }] }, { text: 'Done.' }], { budget: money, prices })
    const { problems, requests } = addSubagent(unpriced.runtime, [{ text: 'Done.' }])
    await unpriced.send('Go.')
    expect(problems).toMatchObject([{ code: 'INVALID_OPTION', field: 'budget.turn.money' }])
    expect(requests()).toBe(0)
  })

  test('ends the turn', async () => {
    const { send, model } = setUp(() => ({ calls: [{ name: 'count' }] }), {
      budget: { turn: { money: 0.0004 } },
      prices,
    })
    const events = await send('Go.')
    expect(endOf(events)).toBe('budget')
    expect(endMessage(events)).toContain('budget.turn.money')
    expect(model.requests).toHaveLength(4)
  })

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY, '3'])('rejects a price of %s', (input) => {
    const broken = { 'test:scripted': { input: input as number, output: 1 } }
    expect(() => setUp([], { prices: broken })).toThrow('prices["test:scripted"].input')
  })
})

describe('a resumed conversation', () => {
  const usage = { requests: 3, inputTokens: 400, outputTokens: 200, cacheReadTokens: 5, money: 0.5 }

  test('continues with what it has used', async () => {
    const { send, agent, model } = setUp([{ text: 'Hi.' }], {
      counts: { continuations: 2, usage },
      budget: { conversation: { tokens: 700 } },
    })
    expect(agent.usage()).toEqual(usage)
    expect(endOf(await send('Go.'))).toBe('answer')
    // 750 tokens: the next prompt does not even reach the model.
    const events = await send('Go.')
    expect(endOf(events)).toBe('budget')
    expect(endMessage(events)).toContain('750 of 700 tokens are used (budget.conversation.tokens)')
    expect(model.requests).toHaveLength(1)
  })

  test('needs known costs for a budget in money', () => {
    const options = {
      counts: { continuations: 0, usage: { ...usage, money: null } },
      prices: { 'test:scripted': { input: 1, output: 1 } },
    }
    expect(() => setUp([], { ...options, budget: { conversation: { money: 1 } } })).toThrow(
      'budget.conversation.money: what this conversation has cost so far is unknown',
    )
    expect(() => setUp([], { ...options, budget: { turn: { money: 1 } } })).not.toThrow()
  })
})

test('a budget also has an effect if the provider reports no usage', async () => {
  const { send, model } = setUp(() => ({ calls: [{ name: 'count' }], withoutUsage: true }), {
    budget: { turn: { tokens: 500 } },
  })
  expect(endOf(await send('Go.'))).toBe('budget')
  expect(model.requests.length).toBeLessThan(20)
})

test('a budget also has an effect if the provider reports fewer tokens than the request can have', async () => {
  for (const inputTokens of [0, 5]) {
    const { send, model } = setUp(() => ({ calls: [{ name: 'count' }], inputTokens }), {
      system: 'Be brief. '.repeat(200),
      budget: { turn: { tokens: 5_000 } },
    })
    expect(endOf(await send('Go.'))).toBe('budget')
    expect(model.requests.length).toBeLessThan(12)
  }
})
