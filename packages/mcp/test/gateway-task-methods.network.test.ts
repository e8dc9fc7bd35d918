import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { legacy, modern } from './helpers/http-gateway.ts'
import { startTaskGateway, type Versions } from './helpers/task-gateway.ts'

const limitMs = 30_000
const extension = 'io.modelcontextprotocol/tasks'

/** Every version of a client with every version of a server. */
const pairs = [
  [legacy, '2025'],
  [legacy, 'both'],
  [modern, '2025'],
  [modern, 'both'],
] as const

const any: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => ({ value: value as Record<string, unknown> }),
  },
}

/** What a client that knows tasks sends. */
async function send(client: Client, method: string, params: object = {}): Promise<Record<string, unknown>> {
  return await client.request({ method, params: { ...params } }, any, { timeout: limitMs })
}

async function createTask(client: Client, name: string, args: object = {}, _meta?: object): Promise<string> {
  const params = { name: `mcp__jobs__${name}`, arguments: args, task: { ttl: 60_000 }, _meta }
  const { task } = await send(client, 'tools/call', params)
  expect(task).toMatchObject({ status: expect.any(String), ttl: expect.any(Number) })
  return (task as { taskId: string }).taskId
}

const statusOf = async (client: Client, taskId: string): Promise<string> =>
  String((await send(client, 'tasks/get', { taskId })).status)

describe.each(pairs)('a client without tasks: %j, server %s', (client, versions: Versions) => {
  test('calls tools that require tasks, and sees their status as progress', async () => {
    const { gateway, server } = await startTaskGateway(versions)
    const { client: caller, call } = await gateway.connect({
      ...client,
      capabilities: { elicitation: { form: {} } },
      prepare: (connected) =>
        connected.setRequestHandler('elicitation/create', ({ params }) => ({
          action: 'accept',
          content: { confirm: params.message.endsWith(' asks: Delete a.txt?') },
        })),
    })
    const { tools } = await caller.listTools()
    const job = tools.find(({ name }) => name === 'mcp__jobs__failing_job')
    // A client that knows tasks but does not use them would not call a tool that requires one.
    expect(job?.execution?.taskSupport).toBe(
      client === legacy && versions === '2025' ? 'optional' : undefined,
    )
    const messages: unknown[] = []
    const failed = await caller.callTool(
      { name: 'mcp__jobs__failing_job' },
      { onprogress: ({ message }) => messages.push(message), timeout: limitMs },
    )
    expect(failed).toMatchObject({ isError: true, content: [{ text: 'the job failed' }] })
    expect(failed._meta ?? {}).not.toHaveProperty(['io.modelcontextprotocol/related-task'])
    expect(messages).toContain('started')
    await expect(call('mcp__jobs__protocol_error_job')).rejects.toThrow('the job broke')
    expect(await call('mcp__jobs__slow_compute', { seconds: 0 })).toBe('computed for 0 s')
    expect(await call('mcp__jobs__confirm_delete', { filename: 'a.txt' })).toContain('"confirm":true')
    expect(server.received()).not.toContain('tasks/cancel')
  }, 60_000)
})

test.each(['2025', 'both'] as const)(
  'a task that outlives its call is cancelled at the server: %s',
  async (versions) => {
    const { gateway, server } = await startTaskGateway(versions, { timeoutMs: 1_000 })
    const { client } = await gateway.connect(modern)
    const timedOut = await client.callTool({ name: 'mcp__jobs__endless' }, { timeout: limitMs })
    expect(timedOut).toMatchObject({
      isError: true,
      structuredContent: { code: 'TOOL_TIMEOUT', limitMs: 1_000 },
    })
    await until(() => server.received().includes('tasks/cancel'))
    const stop = new AbortController()
    const cancelled = client.callTool({ name: 'mcp__jobs__endless' }, { signal: stop.signal })
    await until(() => server.received().filter((method) => method === 'tools/call').length === 2)
    stop.abort()
    await expect(cancelled).rejects.toThrow()
    await until(() => server.received().filter((method) => method === 'tasks/cancel').length === 2)
  },
  60_000,
)

describe('a 2025 client with tasks', () => {
  test('polls, gets the result, and lists its tasks', async () => {
    const { gateway, server } = await startTaskGateway('2025')
    const progress: unknown[] = []
    const { client } = await gateway.connect({
      ...legacy,
      prepare: (connected) =>
        connected.setNotificationHandler(
          'notifications/progress',
          ({ params }) => void progress.push(params),
        ),
    })
    expect(client.getServerCapabilities()).toMatchObject({ tasks: { requests: { tools: { call: {} } } } })
    const taskId = await createTask(client, 'slow_compute', { seconds: 0.2 }, { progressToken: 'mine' })
    const result = await send(client, 'tasks/result', { taskId })
    await until(() => progress.length > 1)
    expect(progress).toContainEqual({ progressToken: 'mine', progress: 1, total: 2, message: 'half of it' })
    expect(progress).toContainEqual(expect.objectContaining({ message: 'computing for 0.2 s' }))
    expect(result).toMatchObject({
      content: [{ text: 'computed for 0.2 s' }],
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    })
    expect(server.paramsOf('tools/call')).toMatchObject([{ task: { ttl: expect.any(Number) } }])
    const failing = await createTask(client, 'failing_job')
    expect(await send(client, 'tasks/result', { taskId: failing })).toMatchObject({ isError: true })
    const broken = await createTask(client, 'protocol_error_job')
    await expect(send(client, 'tasks/result', { taskId: broken })).rejects.toMatchObject({ code: -32_050 })
    expect(await send(client, 'tasks/list')).toMatchObject({
      tasks: [
        { taskId, status: 'completed' },
        { taskId: failing, status: 'failed' },
        { taskId: broken, status: 'failed' },
      ],
    })
  }, 60_000)

  test('answers the questions of a task while it waits for the result', async () => {
    const { gateway } = await startTaskGateway('2025')
    const asked: unknown[] = []
    const { client } = await gateway.connect({
      ...legacy,
      capabilities: { elicitation: { form: {} } },
      prepare: (connected) =>
        connected.setRequestHandler('elicitation/create', ({ params }) => {
          asked.push(params)
          return { action: 'accept', content: { confirm: true } }
        }),
    })
    const taskId = await createTask(client, 'confirm_delete', { filename: 'a.txt' })
    await until(async () => (await statusOf(client, taskId)) === 'input_required')
    expect(asked).toEqual([])
    const result = await send(client, 'tasks/result', { taskId })
    expect(JSON.stringify(result.content)).toContain('confirm')
    expect(asked).toMatchObject([
      {
        message: 'The MCP server jobs asks: Delete a.txt?',
        _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
      },
    ])
  }, 60_000)

  test('cancels a task; a task that has ended cannot be cancelled', async () => {
    const { gateway, server } = await startTaskGateway('2025')
    const { client } = await gateway.connect(legacy)
    const taskId = await createTask(client, 'endless')
    await until(() => server.received().includes('tasks/get'))
    expect(await send(client, 'tasks/cancel', { taskId })).toMatchObject({ taskId, status: 'cancelled' })
    await until(() => server.received().includes('tasks/cancel'))
    await expect(send(client, 'tasks/cancel', { taskId })).rejects.toMatchObject({ code: -32_602 })
    expect(await send(client, 'tasks/result', { taskId })).toMatchObject({ isError: true })
  }, 60_000)

  test('its tasks end with its session, and no other client can use them', async () => {
    const { gateway, server } = await startTaskGateway('2025')
    const { client, endSession } = await gateway.connect(legacy)
    const { client: other } = await gateway.connect(legacy)
    const taskId = await createTask(client, 'endless')
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      await expect(send(other, method, { taskId })).rejects.toMatchObject({ code: -32_602 })
    expect(await send(other, 'tasks/list')).toEqual({ tasks: [] })
    expect(await statusOf(client, taskId)).toBe('working')
    await until(() => server.received().includes('tasks/get'))
    await endSession()
    await until(() => server.received().includes('tasks/cancel'))
  }, 60_000)

  test('is told which tools cannot be tasks, and when one ran out of time', async () => {
    const { gateway, server } = await startTaskGateway('2025', { timeoutMs: 1_000 })
    const { client } = await gateway.connect(legacy)
    await expect(createTask(client, 'greet')).rejects.toMatchObject({ code: -32_601 })
    await expect(createTask(client, 'missing')).rejects.toMatchObject({ code: -32_602 })
    const taskId = await createTask(client, 'endless')
    const result = await send(client, 'tasks/result', { taskId })
    expect(result).toMatchObject({ isError: true, structuredContent: { code: 'TOOL_TIMEOUT' } })
    expect(await statusOf(client, taskId)).toBe('failed')
    await until(() => server.received().includes('tasks/cancel'))
  }, 60_000)
})

test('a 2026 client with tasks polls the task that the server created; with another token, it cannot', async () => {
  const { gateway, server } = await startTaskGateway('both', { timeoutMs: 20_000 }, ['token-a', 'token-b'])
  const options = { ...modern, capabilities: { elicitation: { form: {} }, extensions: { [extension]: {} } } }
  const { client } = await gateway.connect(options)
  const { client: other } = await gateway.connect({ ...options, token: 'token-b' })
  expect(client.getServerCapabilities()?.extensions).toEqual({ [extension]: {} })
  // The SDK's client rejects a task, so the first request is sent without it.
  const created = await gateway.post('token-a', 'tools/call', {
    name: 'mcp__jobs__confirm_delete',
    arguments: { filename: 'a.txt' },
    _meta: { 'io.modelcontextprotocol/clientCapabilities': options.capabilities },
  })
  expect(created).toMatchObject({ resultType: 'task', status: 'working', ttlMs: expect.any(Number) })
  const { taskId } = created as { taskId: string }
  await expect(send(other, 'tasks/get', { taskId })).rejects.toMatchObject({ code: -32_602 })
  await until(async () => (await statusOf(client, taskId)) === 'input_required')
  const { inputRequests } = await send(client, 'tasks/get', { taskId })
  const [key] = Object.keys(inputRequests as object)
  const inputResponses = { [key!]: { action: 'accept', content: { confirm: true } } }
  expect(await send(client, 'tasks/update', { taskId, inputResponses })).not.toHaveProperty('status')
  await until(async () => (await statusOf(client, taskId)) === 'completed')
  expect(JSON.stringify(await send(client, 'tasks/get', { taskId }))).toContain('a.txt: ')
  expect(server.received()).toContain('tasks/update')
}, 60_000)
