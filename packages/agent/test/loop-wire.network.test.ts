import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentEvent, type AgentOptions, createAgent, createSession, resumeSession } from '@curfew/agent'
import { createRuntime, defineTool } from '@curfew/core'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
  wireFormats,
} from '../../../packages/torture/src/model-server/start-model-server.ts'
import { createTestModel } from './support/create-test-model.ts'

const servers: ModelServer[] = []
const folders: string[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

async function setUp(
  format: ModelServerOptions['format'],
  script: ModelServerOptions['script'],
  options: Partial<AgentOptions> = {},
) {
  const server = await startModelServer({ format, script })
  servers.push(server)
  const runtime = createRuntime({ approval: 'allow', log: () => {} })
  runtime.register(
    defineTool({
      name: 'add',
      description: 'Add two numbers.',
      parameters: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      execute: ({ a, b }: { a: number; b: number }) => a + b,
    }),
  )
  const model = createTestModel(format, server.url)
  const agent = createAgent({ model, runtime, system: 'Be brief.', ...options })
  const send = async (prompt: string, signal?: AbortSignal) => {
    const events: AgentEvent[] = []
    for await (const event of agent.send(prompt, { signal })) events.push(event)
    return events
  }
  return { server, runtime, model, agent, send }
}

const endOf = (events: readonly AgentEvent[]) => events.at(-1)
const textOf = (events: readonly AgentEvent[]) =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('')

describe.each(wireFormats)('%s', (format) => {
  test('a turn with parallel calls and reasoning is accepted by the provider', async () => {
    const { server, send, runtime } = await setUp(format, [
      [
        { reasoning: 'Let me think.', signature: 'c2lnbmF0dXJl' },
        { text: 'Adding. ' },
        { call: { name: 'add', input: { a: 1, b: 2 }, signature: 'c2lnbmF0dXJl' } },
        { call: { name: 'add', input: { a: 3, b: 4 } } },
      ],
      [{ text: 'It is 3 and 7.' }],
      [{ text: 'You are welcome.' }],
    ])
    const events = await send('Add 1 and 2, then 3 and 4.')
    expect(endOf(events)).toMatchObject({ reason: 'answer' })
    expect(textOf(events)).toBe('Adding. It is 3 and 7.')
    expect(endOf(await send('Thanks.'))).toMatchObject({ reason: 'answer' })
    expect(server.requests.map(({ problem }) => problem)).toEqual([null, null, null])
    await runtime.close()
  })

  test('unknown tools, broken JSON and repeated ids lead to results that the provider accepts', async () => {
    const { server, send, runtime } = await setUp(format, [
      [
        { call: { id: 'same', name: 'add', input: { a: 1, b: 2 } } },
        { call: { id: 'same', name: 'nothing', input: {} } },
        { call: { name: 'add', input: { a: 'x' } } },
      ],
      [{ text: 'Done.' }],
    ])
    expect(endOf(await send('Go.'))).toMatchObject({ reason: 'answer' })
    expect(server.requests.map(({ problem }) => problem)).toEqual([null, null])
    await runtime.close()
  })

  test('a cut stream ends the turn with what was received, and the conversation goes on', async () => {
    const { server, agent, send, runtime } = await setUp(format, [
      [{ text: 'Once upon' }, { call: { name: 'add', input: { a: 1, b: 2 } } }, { drop: true }],
      [{ text: 'Sorry.' }],
    ])
    expect(endOf(await send('Tell.'))).toMatchObject({ reason: 'model-failure' })
    expect(agent.getSnapshot().items.at(-1)).toMatchObject({
      incomplete: true,
      parts: [{ text: 'Once upon' }],
    })
    expect(runtime.getSnapshot().calls).toEqual([])
    expect(endOf(await send('Again.'))).toMatchObject({ reason: 'answer' })
    expect(server.requests.map(({ problem }) => problem)).toEqual([null, null])
    await runtime.close()
  })

  test('an abort while the model stalls ends the turn, and the conversation goes on', async () => {
    const { server, agent, send, runtime } = await setUp(format, [
      [{ text: 'Well' }, { stall: true }],
      [{ text: 'Here I am.' }],
    ])
    const running = send('Tell.')
    await expect.poll(() => agent.getSnapshot().pending?.text).toBe('Well')
    agent.cancel()
    expect(endOf(await running)).toMatchObject({ reason: 'abort' })
    expect(endOf(await send('Again.'))).toMatchObject({ reason: 'answer' })
    expect(server.requests.map(({ problem }) => problem)).toEqual([null, null])
    await runtime.close()
  })

  test('an exhausted quota switches to the fallback model and ends the turn, with all results', async () => {
    const second = await startModelServer({ format, script: [[{ text: 'From the fallback.' }]] })
    servers.push(second)
    const fallback = createTestModel(format, second.url)
    const { send, agent, runtime } = await setUp(
      format,
      [[{ call: { name: 'add', input: { a: 1, b: 2 } } }], { error: 'quota' }],
      { fallback },
    )
    expect(endOf(await send('Add.'))).toMatchObject({ reason: 'model-switched' })
    expect(agent.getSnapshot().items.at(-1)).toMatchObject({ results: [{ content: '3' }] })
    expect(textOf(await send('And?'))).toBe('From the fallback.')
    expect(second.requests.map(({ problem }) => problem)).toEqual([null])
    await runtime.close()
  })
})

test('a conversation is saved, resumed, and accepted by another provider', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'curfew-agent-'))
  folders.push(folder)
  const problems: string[] = []
  const sessionOptions = {
    folder,
    redact: <T>(value: T): T => value,
    onProblem: (problem: string) => problems.push(problem),
  }
  const session = await createSession({ ...sessionOptions, project: folder, model: 'test' })
  const first = await setUp(
    'google',
    [[{ call: { name: 'add', input: { a: 1, b: 2 }, signature: 'c2lnbmF0dXJl' } }], [{ text: 'It is 3.' }]],
    { session, prices: { 'google:gemini-3-pro-preview': { input: 0.5, output: 3 } } },
  )
  await first.send('Add 1 and 2.')
  await session.close()
  await first.runtime.close()
  expect(readFileSync(session.path, 'utf8')).toContain('"type":"calls"')
  const resumed = await resumeSession({ ...sessionOptions, id: session.id })
  const second = await setUp('anthropic', [[{ text: 'It was 3.' }]], {
    history: resumed.history.items,
    counts: resumed.history.counts,
    session: resumed.session,
  })
  expect(second.agent.getSnapshot().items).toHaveLength(4)
  expect(resumed.history.counts.continuations).toBe(1)
  expect(second.agent.usage()).toEqual(first.agent.usage())
  expect(second.agent.usage()).toMatchObject({ requests: 2, money: expect.closeTo(0.00004) })
  expect(textOf(await second.send('What was it?'))).toBe('It was 3.')
  expect(second.server.requests.map(({ problem }) => problem)).toEqual([null])
  await resumed.session.close()
  await second.runtime.close()
  expect(problems).toEqual([])
})
