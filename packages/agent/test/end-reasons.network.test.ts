import { type AgentEvent, createAgent } from '@curfew/agent'
import { createRuntime, defineTool } from '@curfew/core'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type ModelServer,
  type ModelServerOptions,
  type Step,
  startModelServer,
  wireFormats,
} from '../../../packages/torture/src/model-server/start-model-server.ts'
import { resultCodes } from './support/agent-setup.ts'
import { createTestModel } from './support/create-test-model.ts'
import { expectBalanced } from './support/expect-balanced.ts'

const servers: ModelServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

/** An agent whose model gives these responses, and then `Done.`. */
async function setUp(
  format: ModelServerOptions['format'],
  respond: (request: number) => readonly Step[] | undefined,
) {
  const script: ModelServerOptions['script'] = (_request, index) => respond(index) ?? [{ text: 'Done.' }]
  const server = await startModelServer({ format, script })
  servers.push(server)
  const runtime = createRuntime({ approval: 'allow', log: () => {} })
  const ran: unknown[] = []
  runtime.register(
    defineTool({
      name: 'save',
      description: 'Save.',
      parameters: { type: 'object', properties: { path: { type: 'string' } } },
      execute: (params) => void ran.push(params),
    }),
  )
  const agent = createAgent({ model: createTestModel(format, server.url), runtime })
  /** Sends a prompt. All requests must be valid. */
  const send = async () => {
    const events: AgentEvent[] = []
    for await (const event of agent.send('Go.')) events.push(event)
    expect(server.requests.flatMap(({ problem }) => problem ?? [])).toEqual([])
    expectBalanced(agent.getSnapshot().items)
    const { reason, message } = events.at(-1) as AgentEvent & { type: 'end' }
    const notices = events.flatMap((event) => (event.type === 'notice' ? [event.notice] : []))
    return { reason, message, notices, requests: server.requests.length }
  }
  return { send, server, ran, agent, items: () => agent.getSnapshot().items }
}

/** Cut off before anything, within the name of an argument, and complete by chance. */
const cutOffInputs = ['', '{"path": "a/b', '{"path":"a"}'] as const

describe.each(wireFormats)('%s', (format) => {
  test('a model that answers nothing is asked three times: model-failure', async () => {
    const { send, agent, items } = await setUp(format, (request) =>
      request < 3 ? [{ text: '' }] : undefined,
    )
    const { reason, message, notices, requests } = await send()
    expect([reason, requests]).toEqual(['model-failure', 3])
    expect(message).toMatch(/^[\w:.-]+: the model returned an empty response \(3 times in a row\)$/)
    expect(notices).toMatchObject([
      { kind: 'retry', attempt: 1, maxAttempts: 3, delayMs: 0 },
      { kind: 'retry', attempt: 2 },
    ])
    expect(items().map(({ type }) => type)).toEqual(['user'])
    expect(agent.usage()).toMatchObject({ requests: 3 })
    expect(await send()).toMatchObject({ reason: 'answer' })
  })

  test('a model that answers nothing once: answer', async () => {
    const { send, server, items } = await setUp(format, (request) =>
      request === 0 ? [{ text: '' }] : undefined,
    )
    expect(await send()).toMatchObject({ reason: 'answer', requests: 2 })
    expect(JSON.stringify(server.requests[1]!.body)).toContain('Your last response was empty')
    // The note is not part of the conversation.
    await send()
    expect(JSON.stringify(server.requests[2]!.body)).not.toContain('Your last response')
    expect(items().map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'assistant'])
  })

  test('a model that answers nothing after each call, and then calls again: every empty answer is a continuation', async () => {
    const { send } = await setUp(format, (request) =>
      request % 2 === 0 ? [{ call: { name: 'save', input: { path: `${request}` } } }] : [{ text: ' \n' }],
    )
    expect(await send()).toMatchObject({ reason: 'limit', requests: 101 })
  })

  test('a model that only thinks: model-failure', async () => {
    const { send } = await setUp(format, (request) => (request < 3 ? [{ reasoning: 'Hm.' }] : undefined))
    expect(await send()).toMatchObject({ reason: 'model-failure', requests: 3 })
    expect(await send()).toMatchObject({ reason: 'answer' })
  })

  test('a response that a filter blocked: model-failure, its calls do not run, and nothing is sent again', async () => {
    const { send, ran, items } = await setUp(format, (request) =>
      request === 0
        ? [{ text: 'Well, ' }, { call: { name: 'save', input: { path: 'a' } } }, { finish: 'filter' }]
        : undefined,
    )
    const { reason, message, requests } = await send()
    expect([reason, requests, ran]).toEqual(['model-failure', 1, []])
    expect(message).toContain('the response was blocked by a content filter')
    expect(items().at(-1)).toMatchObject({ incomplete: true, parts: [{ text: 'Well, ' }] })
    expect(await send()).toMatchObject({ reason: 'answer' })
  })

  test('an answer that was cut off at the output limit: limit', async () => {
    const { send, items } = await setUp(format, (request) =>
      request === 0 ? [{ text: 'Once upon a' }, { finish: 'length' }] : undefined,
    )
    expect(await send()).toMatchObject({
      reason: 'limit',
      message: 'the answer was cut off at the output limit of the model',
      requests: 1,
    })
    expect(items().at(-1)).toMatchObject({ incomplete: true, parts: [{ text: 'Once upon a' }] })
    expect(await send()).toMatchObject({ reason: 'answer' })
  })

  test('a response that was cut off before it began: it is asked for again', async () => {
    const { send } = await setUp(format, (request) => (request < 3 ? [{ finish: 'length' }] : undefined))
    const { reason, message, requests } = await send()
    expect([reason, requests]).toEqual(['model-failure', 3])
    expect(message).toContain('cut off at the output limit of the model (3 times in a row)')
  })

  test.each(cutOffInputs)('calls that were cut off do not run: %j', async (input) => {
    const { send, ran, items, server } = await setUp(format, (request) =>
      request === 0
        ? [
            { text: 'Saving.' },
            { call: { name: 'save', input: { path: 'first' } } },
            { call: { name: 'save', input: format === 'google' ? {} : input } },
            { finish: 'length' },
          ]
        : undefined,
    )
    expect(await send()).toMatchObject({ reason: 'answer', requests: 2 })
    expect(ran).toEqual([])
    expect(resultCodes(items())).toEqual(['INVALID_PARAMS', 'INVALID_PARAMS'])
    expect(JSON.stringify(server.requests[1]!.body)).toContain('cut off at the output limit')
  })

  test('a model whose calls are cut off forever: model-failure', async () => {
    const { send, ran } = await setUp(format, (request) =>
      request < 3 ? [{ call: { name: 'save', input: { path: 'a' } } }, { finish: 'length' }] : undefined,
    )
    expect(await send()).toMatchObject({ reason: 'model-failure', requests: 3 })
    expect(ran).toEqual([])
    expect(await send()).toMatchObject({ reason: 'answer' })
  })
})

describe("Google's MALFORMED_FUNCTION_CALL", () => {
  test('the model is asked again, and what it wrote is kept', async () => {
    const { send, items, agent } = await setUp('google', (request) =>
      request < 2 ? [{ text: 'Let me save it.' }, { finish: 'malformed-call' }] : undefined,
    )
    expect(await send()).toMatchObject({
      reason: 'answer',
      requests: 3,
      notices: [
        { kind: 'retry', cause: expect.stringContaining('MALFORMED_FUNCTION_CALL') },
        { kind: 'retry' },
      ],
    })
    expect(items()).toMatchObject([
      { type: 'user' },
      { incomplete: true, parts: [{ text: 'Let me save it.' }] },
      { incomplete: true },
      { parts: [{ text: 'Done.' }] },
    ])
    // Also those that failed are paid for.
    expect(agent.usage()).toMatchObject({ requests: 3 })
  })

  test('three times in a row: model-failure', async () => {
    const { send } = await setUp('google', () => [{ finish: 'malformed-call' }])
    const { reason, message, requests } = await send()
    expect([reason, requests]).toEqual(['model-failure', 3])
    expect(message).toContain('MALFORMED_FUNCTION_CALL')
  })
})
