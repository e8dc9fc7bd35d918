import { defineTool } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { endOf, setUp } from './support/agent-setup.ts'
import { expectBalanced } from './support/expect-balanced.ts'

test('answers after running the calls of the model', async () => {
  const { send, model, items } = setUp([
    { text: 'Let me count.', calls: [{ name: 'count' }, { name: 'count' }] },
    { text: ['It is ', '2.'] },
  ])
  const events = await send('Count twice.')
  expect(endOf(events)).toBe('answer')
  expect(events.filter(({ type }) => type === 'text')).toEqual([
    { type: 'text', text: 'Let me count.' },
    { type: 'text', text: 'It is ' },
    { type: 'text', text: '2.' },
  ])
  expect(items().map(({ type }) => type)).toEqual(['user', 'assistant', 'results', 'assistant'])
  expect(model.requests[1]!.prompt.at(-1)).toMatchObject({
    role: 'tool',
    content: [{ output: { value: '1' } }, { output: { value: '2' } }],
  })
  expectBalanced(items())
})

test('events of calls are part of the turn', async () => {
  const { send } = setUp([{ calls: [{ name: 'count' }] }, { text: 'Done.' }])
  const rows = (await send('Count.')).flatMap((event) => (event.type === 'call' ? [event.row] : []))
  expect(rows.at(-1)).toMatchObject({ name: 'count', status: 'success' })
})

describe('the turn ends', () => {
  test('with `loop`: the first LOOP_DETECTED winds the turn down', async () => {
    const { send, model, items } = setUp((request) =>
      model.requests[request]!.toolChoice?.type === 'none'
        ? { text: 'I give up.' }
        : { calls: [{ name: 'same' }] },
    )
    const events = await send('Go.')
    expect(endOf(events)).toBe('loop')
    expect(model.requests).toHaveLength(7)
    expect(model.requests.at(-1)).toMatchObject({ toolChoice: { type: 'none' } })
    // The tools stay listed, byte by byte.
    expect(new Set(model.requests.map(({ tools }) => JSON.stringify(tools))).size).toBe(1)
    expectBalanced(items())
  })

  test('with `limit`, even if the model calls tools after the wind-down', async () => {
    const { send, items } = setUp(() => ({ calls: [{ name: 'count' }] }), { limits: { continuations: 3 } })
    expect(endOf(await send('Go.'))).toBe('limit')
    expect(items().at(-1)).toMatchObject({ results: [{ code: 'LIMIT_EXCEEDED' }] })
    expectBalanced(items())
  })

  test('with `limit` when the calls of the turn are used up', async () => {
    const { send, items } = setUp(
      () => ({ calls: Array.from({ length: 500 }, () => ({ name: 'count' })) }),
      {},
      { limits: { callsPerTurn: 600 } },
    )
    expect(endOf(await send('Go.'))).toBe('limit')
    expectBalanced(items())
  })

  test('with `model-failure` at a limit of the request, which is named as an option; the failure is data', async () => {
    const { send } = setUp([{ stall: true }], { limits: { model: { firstToken: 50 } } })
    expect((await send('Go.')).at(-1)).toMatchObject({
      reason: 'model-failure',
      message: expect.stringMatching(/: no response within 50 ms \(limits\.model\.firstToken\)$/),
      failure: { kind: 'first-token', problem: 'no response within 50 ms', retryable: true },
    })
  })

  test('with `abort` while the model streams; what it wrote is kept', async () => {
    const { send, items, agent } = setUp([{ text: 'Once upon', stall: true }, { text: 'Again.' }])
    const controller = new AbortController()
    const running = send('Tell.', controller.signal)
    await expect.poll(() => agent.getSnapshot().pending?.text).toBe('Once upon')
    controller.abort()
    expect(endOf(await running)).toBe('abort')
    expect(items().at(-1)).toMatchObject({ incomplete: true, parts: [{ text: 'Once upon' }] })
    expect(agent.getSnapshot()).toMatchObject({ streamingState: 'idle', pending: null })
    expect(endOf(await send('Go on.'))).toBe('answer')
  })

  test('with `abort` while a call runs; the call has its result', async () => {
    const { send, items, agent, runtime } = setUp([{ calls: [{ name: 'hang' }] }, { text: 'Fine.' }])
    const running = send('Hang.')
    await expect.poll(() => runtime.getSnapshot().calls[0]?.status).toBe('executing')
    agent.cancel()
    expect(endOf(await running)).toBe('abort')
    expect(items().at(-1)).toMatchObject({ results: [{ code: 'CANCELLED' }] })
    expectBalanced(items())
    expect(endOf(await send('Go on.'))).toBe('answer')
  })

  test('with `cancelled` when a person stops the turn', async () => {
    const { send, items } = setUp(
      [{ calls: [{ name: 'count' }, { name: 'count' }] }],
      {},
      {
        approval: 'ask',
        ask: () => 'stop',
      },
    )
    expect(endOf(await send('Count.'))).toBe('cancelled')
    expectBalanced(items())
  })

  test('with `model-failure`; the calls of a response that was cut off do not run', async () => {
    const { send, items, runtime } = setUp([
      { text: 'Well', calls: [{ name: 'count' }], error: new Error('connection lost') },
      { text: 'Sorry.' },
    ])
    expect(endOf(await send('Count.'))).toBe('model-failure')
    expect(runtime.getSnapshot().calls).toEqual([])
    expectBalanced(items())
    expect(endOf(await send('Again.'))).toBe('answer')
  })

  test('when the reader stops reading', async () => {
    const { agent, runtime } = setUp([{ text: 'a', calls: [{ name: 'hang' }] }])
    for await (const event of agent.send('Go.')) if (event.type === 'call') break
    await expect.poll(() => agent.getSnapshot().streamingState).toBe('idle')
    expect(runtime.getSnapshot().calls.map(({ status }) => status)).toEqual(['cancelled'])
  })
})

test('unknown tools, broken JSON and repeated ids are results', async () => {
  const { send, model, items } = setUp([
    {
      calls: [
        { id: 'x', name: 'count' },
        { id: 'x', name: 'unknown' },
        { id: '', name: 'same' },
      ],
    },
    { text: 'Done.' },
  ])
  expect(endOf(await send('Go.'))).toBe('answer')
  expect(model.requests).toHaveLength(2)
  expectBalanced(items())
})

test('a second prompt is delivered after the current batch, and sees the rest of the turn', async () => {
  let release = (): void => {}
  const { agent, send, model, runtime } = setUp([{ calls: [{ name: 'wait' }] }, { text: 'Both.' }])
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
  const first = send('First.')
  await expect.poll(() => runtime.getSnapshot().calls[0]?.status).toBe('executing')
  const second = send('Second.')
  expect(agent.getSnapshot().queued).toEqual(['Second.'])
  release()
  expect([endOf(await first), endOf(await second)]).toEqual(['answer', 'answer'])
  expect(await second).toContainEqual({ type: 'text', text: 'Both.' })
  expect(model.requests[1]!.prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
})

test('ESC withdraws a prompt that is queued', async () => {
  const { agent, send, model } = setUp([{ text: 'Once', stall: true }])
  const first = send('First.')
  await expect.poll(() => model.requests.length).toBe(1)
  const controller = new AbortController()
  const second = send('Second.', controller.signal)
  controller.abort()
  expect(endOf(await second)).toBe('abort')
  const third = send('Third.')
  expect(agent.cancel()).toEqual(['Third.'])
  expect([endOf(await first), endOf(await third)]).toEqual(['abort', 'abort'])
  expect(agent.getSnapshot().items.map(({ type }) => type)).toEqual(['user', 'assistant'])
})

test('results are submitted when they are part of a request', async () => {
  const { agent, send, model, runtime } = setUp([{ calls: [{ name: 'hang' }] }, { text: 'So', stall: true }])
  const running = send('Hang.')
  await expect.poll(() => runtime.getSnapshot().calls[0]?.status).toBe('executing')
  expect(agent.getSnapshot()).toMatchObject({ submittedItemId: 1, items: [{ id: 1 }, { id: 2 }] })
  runtime.cancel({ uid: runtime.getSnapshot().calls[0]!.uid })
  expect(endOf(await running)).toBe('cancelled')
  expect(agent.getSnapshot()).toMatchObject({ submittedItemId: 1 })
  const next = send('Go on.')
  await expect.poll(() => model.requests.length).toBe(2)
  expect(agent.getSnapshot()).toMatchObject({ submittedItemId: 4, streamingState: 'responding' })
  agent.cancel()
  await next
})

test('a budget winds the turn down; the next turn has its own', async () => {
  const { send, agent, model } = setUp(() => ({ calls: [{ name: 'count' }], inputTokens: 1_000 }), {
    budget: { turn: { tokens: 2_800 }, conversation: { tokens: 4_900 } },
  })
  // Each request uses 1,050 tokens.
  expect(endOf(await send('Go.'))).toBe('budget')
  expect(model.requests).toHaveLength(4)
  expect(endOf(await send('Go.'))).toBe('budget')
  expect(model.requests).toHaveLength(6)
  expect(agent.usage()).toMatchObject({ requests: 6, inputTokens: 6_000, outputTokens: 300, money: null })
})

test('a budget in money without a price is an error', () => {
  expect(() => setUp([], { budget: { turn: { money: 1 } } })).toThrow('the price of test:scripted is unknown')
})
