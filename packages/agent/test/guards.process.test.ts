import { type Agent, type AgentEvent, createAgent } from '@curfew/agent'
import { defineTool, type ToolContext } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { collect, endOf, resultCodes, setUp } from './support/agent-setup.ts'
import { expectBalanced } from './support/expect-balanced.ts'
import { type ScriptedResponse, scriptedModel } from './support/scripted-model.ts'

/**
 * The infinite-loop scenarios and guards of seed 003, one test each. Without its guard, a scenario reaches this number of requests, where the
 * script gives up and the test fails.
 */
const runawayRequests = 400

function forever(respond: (request: number) => ScriptedResponse) {
  return (request: number): ScriptedResponse =>
    request < runawayRequests ? respond(request) : { text: 'Nothing stopped me.' }
}

const quotaError = Object.assign(new Error('quota'), {
  statusCode: 429,
  data: { error: { code: 'insufficient_quota', message: 'You exceeded your current quota.' } },
})

describe('scenarios', () => {
  test('tool completion → re-execution: reacting to a completed call does not start a second loop', {
    timeout: 30_000,
  }, async () => {
    let inFlight = 0
    let maxInFlight = 0
    const { agent, model, count, items } = setUp((request) =>
      request < 5 ? { calls: [{ name: 'count' }, { name: 'count' }] } : { text: 'Done.' },
    )
    const doStream = model.doStream.bind(model)
    model.doStream = async (options) => {
      maxInFlight = Math.max(maxInFlight, ++inFlight)
      const { stream } = await doStream(options)
      const tracked = stream.pipeThrough(new TransformStream({ flush: () => void inFlight-- }))
      return { stream: tracked }
    }
    const others: Promise<AgentEvent[]>[] = []
    for await (const event of agent.send('Go.')) {
      const isCompleted = event.type === 'call' && event.row.status === 'success'
      if (isCompleted && others.length < 4) others.push(collect(agent.send('It is done.')))
    }
    expect((await Promise.all(others)).map(endOf)).toEqual(['answer', 'answer', 'answer', 'answer'])
    expect([maxInFlight, model.requests.length, count()]).toEqual([1, 6, 10])
    expectBalanced(items())
  })

  test('error recovery: a tool that fails forever is not retried by us, and the model only so often', async () => {
    let executions = 0
    const { send, model, runtime, items } = setUp(forever(() => ({ calls: [{ name: 'fail' }] })))
    runtime.register(
      defineTool({
        name: 'fail',
        description: 'Fail.',
        execute: () => {
          throw new Error(`failure ${++executions}`)
        },
      }),
    )
    expect(endOf(await send('Go.'))).toBe('limit')
    expect([model.requests.length, executions]).toEqual([101, 100])
    expectBalanced(items())
  })

  test('stream continuation: a model that calls tools forever', async () => {
    const { send, model, count, items } = setUp(forever(() => ({ calls: [{ name: 'count' }] })))
    expect(endOf(await send('Go.'))).toBe('limit')
    expect([model.requests.length, count()]).toEqual([101, 100])
    expect(model.requests.at(-1)).toMatchObject({ toolChoice: { type: 'none' } })
    expectBalanced(items())
  })

  test('continuation after a quota switch: the results are recorded, and the fallback model waits for the person', async () => {
    const fallback = scriptedModel(
      forever(() => ({ calls: [{ name: 'count' }] })),
      'fallback',
    )
    const { send, count, items } = setUp(
      (request) => (request === 0 ? { calls: [{ name: 'count' }] } : { error: quotaError }),
      { fallback },
    )
    expect(endOf(await send('Go.'))).toBe('model-switched')
    expect([fallback.requests.length, count()]).toEqual([0, 1])
    expect(items().at(-1)).toMatchObject({ type: 'results', results: [{ content: '1' }] })
    expectBalanced(items())
  })
})

describe('guards', () => {
  test('person-started tools do not continue', async () => {
    const { agent, model, count, items } = setUp(forever(() => ({ calls: [{ name: 'count' }] })))
    const result = await agent.runAsPerson({ name: 'count', params: {} })
    agent.addParts([{ type: 'text', text: `I ran it: ${result.content}` }])
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([model.requests.length, count()]).toEqual([0, 1])
    expect(agent.getSnapshot().streamingState).toBe('idle')
    expect(items()).toHaveLength(1)
  })

  test('a second prompt while the model responds is queued', { timeout: 30_000 }, async () => {
    const { send, agent, model } = setUp([{ text: 'Once', stall: true }, { text: 'Again.' }])
    const first = send('First.')
    await expect.poll(() => model.requests.length).toBe(1)
    const second = send('Second.')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(model.requests).toHaveLength(1)
    expect(agent.getSnapshot()).toMatchObject({ queued: ['Second.'], streamingState: 'responding' })
    agent.cancel()
    expect([endOf(await first), endOf(await second)]).toEqual(['abort', 'abort'])
  })

  test('calls per turn', async () => {
    const calls = Array.from({ length: 60 }, () => ({ name: 'count' }))
    const { send, model, count, items } = setUp(
      forever(() => ({ calls })),
      {},
      { limits: { callsPerTurn: 100 } },
    )
    expect(endOf(await send('Go.'))).toBe('limit')
    expect([model.requests.length, count()]).toEqual([3, 100])
    expect(resultCodes(items()).filter((code) => code === 'LIMIT_EXCEEDED')).toHaveLength(20 + 60)
    expectBalanced(items())
  })

  test('recursion depth: agents that start agents', async () => {
    let deepest = 0
    const { agent, runtime, send } = setUp(
      [{ calls: [{ name: 'delegate', input: { depth: 1 } }] }, { text: 'Done.' }],
      {},
      { limits: { depth: 5 } },
    )
    const ends: unknown[] = []
    const delegate = async (depth: number, context: ToolContext): Promise<void> => {
      deepest = Math.max(deepest, depth)
      // Without the guard.
      if (depth > 20) return
      const model = scriptedModel([
        { calls: [{ name: 'delegate', input: { depth: depth + 1 } }] },
        { text: 'Done.' },
      ])
      const inner: Agent = createAgent({ model, runtime, within: context })
      ends.push(endOf(await collect(inner.send('Go.'))))
      expectBalanced(inner.getSnapshot().items)
      if (deepest === depth) expect(resultCodes(inner.getSnapshot().items)).toEqual(['LIMIT_EXCEEDED'])
    }
    runtime.register(
      defineTool({
        name: 'delegate',
        description: 'Delegate.',
        parameters: {
          type: 'object',
          properties: { depth: { type: 'number' } },
          required: ['depth'],
        } as const,
        execute: ({ depth }, context) => delegate(depth, context),
      }),
    )
    expect(endOf(await send('Go.'))).toBe('answer')
    expect(deepest).toBe(6)
    expect(ends).toEqual(Array(6).fill('answer'))
    // 2 requests at each level.
    expect(agent.usage()).toMatchObject({ requests: 14 })
  })

  test('continuations per conversation, also if a program sends a prompt after every call', async () => {
    const { agent, model, items } = setUp(
      forever(() => ({ calls: [{ name: 'count' }] })),
      { limits: { conversationContinuations: 30 } },
    )
    let prompts = 0
    let reason: string | null = null
    for await (const event of agent.send('Go.')) {
      if (event.type === 'call' && event.row.status === 'success' && prompts++ < runawayRequests)
        void collect(agent.send('Go on.')).catch(() => {})
      // The prompts after the end are a turn of their own.
      if (event.type === 'end') {
        reason = event.reason
        agent.cancel()
      }
    }
    // The next prompt may have been sent before it was withdrawn.
    expect(reason).toBe('limit')
    expect(model.requests.length - 32).toBeLessThanOrEqual(1)
    await agent.close()
    expectBalanced(items())
  })

  test('circuit breaker: calls per window', async () => {
    const { send, model, count, items } = setUp(
      forever(() => ({ calls: [{ name: 'count' }, { name: 'count' }, { name: 'count' }] })),
      {},
      { breaker: { maxCallsPerWindow: 10, resetTime: '10m' } },
    )
    expect(endOf(await send('Go.'))).toBe('limit')
    expect([model.requests.length, count()]).toEqual([5, 10])
    expect(resultCodes(items()).slice(10)).toEqual([
      'CIRCUIT_OPEN',
      'CIRCUIT_OPEN',
      ...Array(3).fill('LIMIT_EXCEEDED'),
    ])
    expectBalanced(items())
  })

  test('the same call forever', async () => {
    const { send, model, items } = setUp(forever(() => ({ calls: [{ name: 'same' }] })))
    expect(endOf(await send('Go.'))).toBe('loop')
    expect(model.requests).toHaveLength(7)
    expectBalanced(items())
  })

  test('A-B-A-B', async () => {
    const { send, model, runtime, items } = setUp(
      forever((request) => ({ calls: [{ name: request % 2 === 0 ? 'same' : 'other' }] })),
    )
    runtime.register(defineTool({ name: 'other', description: 'Return the same.', execute: () => 'other' }))
    expect(endOf(await send('Go.'))).toBe('loop')
    expect(model.requests.length).toBeLessThanOrEqual(14)
    expectBalanced(items())
  })

  test('empty answers forever', async () => {
    const { send, model, items } = setUp(forever(() => ({ text: '' })))
    expect(endOf(await send('Go.'))).toBe('model-failure')
    expect(model.requests).toHaveLength(3)
    expect(items().map(({ type }) => type)).toEqual(['user'])
  })

  test('ESC while the model responds', { timeout: 30_000 }, async () => {
    const { agent, send } = setUp([{ text: 'Once', stall: true }])
    const running = send('Go.')
    await expect.poll(() => agent.getSnapshot().pending?.text).toBe('Once')
    agent.cancel()
    expect(endOf(await running)).toBe('abort')
  })

  test('ESC while a call runs; its result is recorded, and the model is not asked again', {
    timeout: 30_000,
  }, async () => {
    const { agent, send, runtime, model, items } = setUp(forever(() => ({ calls: [{ name: 'hang' }] })))
    const running = send('Go.')
    await expect.poll(() => runtime.getSnapshot().calls[0]?.status).toBe('executing')
    agent.cancel()
    expect(endOf(await running)).toBe('abort')
    expect([model.requests.length, resultCodes(items())]).toEqual([1, ['CANCELLED']])
    expectBalanced(items())
  })
})
