import { getEventListeners } from 'node:events'
import { type AgentEvent, type AgentOptions, createAgent, type UserPart } from '@curfew/agent'
import { createRuntime, defineTool } from '@curfew/core'
import { expect, test, vi } from 'vitest'
import { type ScriptedResponse, scriptedModel } from './support/scripted-model.ts'
import { assertBalanced } from './support/session-data.ts'

function setUp(script: (request: number) => ScriptedResponse, options: Partial<AgentOptions> = {}) {
  const runtime = createRuntime({ approval: 'allow', log: () => {} })
  runtime.register(defineTool({ name: 'ping', description: 'Ping.', execute: () => 'pong' }))
  const log = vi.fn()
  const agent = createAgent({ model: scriptedModel(script), runtime, log, ...options })
  const send = async (prompt: string | UserPart[], signal?: AbortSignal) => {
    const events: AgentEvent[] = []
    for await (const event of agent.send(prompt, { signal })) events.push(event)
    return events
  }
  return { runtime, agent, send, log }
}

const answer = (): ScriptedResponse => ({ text: 'Hello.' })

test('a listener that throws is logged, and the others are called', async () => {
  const { agent, send, log, runtime } = setUp(answer)
  const listener = vi.fn()
  agent.subscribe(() => {
    throw new Error('broken')
  })
  agent.subscribe(listener)
  await send('Hi.')
  await vi.waitFor(() => expect(listener).toHaveBeenCalled())
  expect(log).toHaveBeenCalledWith(expect.objectContaining({ level: 'error', error: new Error('broken') }))
  await runtime.close()
})

test('a prompt after the runtime was closed ends with the reason', async () => {
  const { agent, send, runtime } = setUp(answer)
  await runtime.close()
  const end = { type: 'end', reason: 'abort', message: 'the runtime is closed' }
  expect(await send('Hi.')).toEqual([end])
  expect(await send('Hi.')).toEqual([end])
  expect(agent.getSnapshot()).toMatchObject({ streamingState: 'idle', queued: [] })
})

test('calls have results if the runtime is closed just before they run', async () => {
  const { runtime, agent, send } = setUp(() => ({ calls: [{ name: 'ping' }] }), {
    session: {
      append: (record) =>
        void (record.type === 'item' && record.item.type === 'assistant' && runtime.close()),
      async written() {},
      async flush() {},
    },
  })
  expect((await send('Hi.')).at(-1)).toMatchObject({ reason: 'abort', message: 'the runtime is closed' })
  assertBalanced(agent.getSnapshot().items)
  expect(agent.getSnapshot().items.at(-1)).toMatchObject({ results: [{ code: 'CANCELLED' }] })
})

test('a call whose start is written while the runtime is closed does not run', async () => {
  let runs = 0
  let hasStart = false
  const { runtime, agent, send } = setUp(() => ({ calls: [{ name: 'count' }] }), {
    session: {
      append: ({ type }) => {
        hasStart ||= type === 'calls'
      },
      async written() {
        if (hasStart) await runtime.close()
      },
      async flush() {},
    },
  })
  runtime.register(defineTool({ name: 'count', description: 'Count.', execute: () => ++runs }))
  expect((await send('Hi.')).at(-1)).toMatchObject({ reason: 'cancelled' })
  expect(agent.getSnapshot().items.at(-1)).toMatchObject({ results: [{ code: 'RUNTIME_CLOSED' }] })
  expect(runs).toBe(0)
})

test('the conversation goes on if its session throws', async () => {
  const fail = () => {
    throw new Error('the disk is gone')
  }
  const failLater = () => Promise.reject(new Error('the disk is gone'))
  const { send, log, runtime } = setUp(
    (request) => (request === 0 ? { calls: [{ name: 'ping' }] } : { text: 'Done.' }),
    { session: { append: fail, written: failLater, flush: failLater } },
  )
  expect((await send('Hi.')).at(-1)).toMatchObject({ reason: 'answer' })
  expect(log).toHaveBeenCalledWith(expect.objectContaining({ message: 'the session was not saved' }))
  await runtime.close()
})

test('prompts leave no listeners on their signal', async () => {
  const { send, runtime } = setUp(answer)
  const { signal } = new AbortController()
  for (let count = 0; count < 5; count++) await send('Hi.', signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
  await runtime.close()
})

test.each<[unknown, string]>([
  [undefined, 'parts: expected an array, got undefined'],
  [[null], 'parts[0]: expected an object, got null'],
  [[{ type: 'text' }], 'parts[0].text: expected a string, got undefined'],
  [[{ type: 'file', data: 'eA==' }], 'parts[0].mediaType: expected a string, got undefined'],
])('a prompt that is not one is rejected before it is in the history: %j', async (prompt, message) => {
  const { agent, send, runtime } = setUp(answer)
  expect(() => agent.send(prompt as UserPart[])).toThrow(message)
  expect(() => agent.addParts(prompt as UserPart[])).toThrow(message)
  expect((await send('Hi.')).at(-1)).toMatchObject({ reason: 'answer' })
  await runtime.close()
})
