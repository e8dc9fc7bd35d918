import { type AgentEvent, type AgentOptions, createAgent } from '@curfew/agent'
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
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

type Format = ModelServerOptions['format']
type Steps = Extract<
  Awaited<ReturnType<Exclude<ModelServerOptions['script'], readonly unknown[]>>>,
  readonly unknown[]
>

/** Runs one prompt with a model that always responds like this. */
async function run(format: Format, respond: (request: number) => Steps, options: Partial<AgentOptions> = {}) {
  const server = await startModelServer({ format, script: (_request, index) => respond(index) })
  servers.push(server)
  const runtime = createRuntime({ approval: 'allow', log: () => {}, limits: { callsPerTurn: 600 } })
  let count = 0
  runtime.register(
    defineTool({ name: 'count', description: 'Count.', execute: () => ++count }),
    defineTool({ name: 'ping', description: 'Ping.', execute: () => 'pong' }),
    defineTool({ name: 'pong', description: 'Pong.', execute: () => 'ping' }),
  )
  const agent = createAgent({ model: createTestModel(format, server.url), runtime, ...options })
  const events: AgentEvent[] = []
  for await (const event of agent.send('Go.')) events.push(event)
  const end = events.at(-1)!
  const problems = server.requests.map(({ problem }) => problem).filter((problem) => problem !== null)
  await agent.close()
  await runtime.close()
  return { reason: end.type === 'end' ? end.reason : null, problems, requests: server.requests.length, count }
}

describe.each(wireFormats)('%s: the turn ends, and every request is valid, although the model', (format) => {
  test('calls the same tool forever', async () => {
    const result = await run(format, () => [{ call: { name: 'ping', input: {} } }])
    expect(result).toMatchObject({ reason: 'loop', problems: [] })
    expect(result.requests).toBeLessThanOrEqual(8)
  })

  test('alternates between two calls forever', async () => {
    const result = await run(format, (request) => [
      { call: { name: request % 2 === 0 ? 'ping' : 'pong', input: {} } },
    ])
    expect(result).toMatchObject({ reason: 'loop', problems: [] })
    expect(result.requests).toBeLessThanOrEqual(14)
  })

  test('makes 500 calls in every response', async () => {
    const call = { call: { name: 'count', input: {} } }
    const result = await run(format, () => Array.from({ length: 500 }, () => call))
    expect(result).toMatchObject({ reason: 'limit', problems: [], count: 600 })
  })

  test('calls unknown tools forever', async () => {
    const result = await run(format, (request) => [{ call: { name: `unknown_${request}`, input: {} } }], {
      limits: { continuations: 20 },
    })
    expect(result).toMatchObject({ reason: 'limit', problems: [], requests: 21 })
  })

  test('sends invalid arguments forever', async () => {
    const result = await run(
      format,
      (request) => [{ call: { name: 'count', input: { [`x${request}`]: null } } }],
      {
        limits: { continuations: 20 },
      },
    )
    expect(result).toMatchObject({ reason: 'limit', problems: [] })
  })

  test('repeats ids', async () => {
    const result = await run(format, (request) =>
      request === 2
        ? [{ text: 'Done.' }]
        : [
            { call: { id: 'same', name: 'count', input: {} } },
            { call: { id: 'same', name: 'count', input: {} } },
          ],
    )
    expect(result).toMatchObject({ reason: 'answer', problems: [], count: 4 })
  })
})
