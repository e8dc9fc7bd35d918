import type { ClientOptions } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import type { PinMode } from '../src/config/server-config.ts'
import {
  type InProcessServer,
  simpleTool,
  startInProcessServer,
  testFolder,
} from './helpers/in-process-server.ts'
import { type LocalClient, type LocalClientOptions, startLocalGateway } from './helpers/local-gateway.ts'

const eras: readonly [string, ClientOptions][] = [
  ['2025-11-25', { versionNegotiation: { mode: 'legacy' } }],
  ['2026-07-28', { versionNegotiation: { mode: 'auto' } }],
]

interface Changed {
  readonly server: InProcessServer
  /** What was logged about changes. */
  readonly logged: readonly string[]
  readonly asked: string[]
  connect(answer: string | null, options?: LocalClientOptions): Promise<LocalClient>
}

/** A gateway in front of a server that has changed a tool since the gateway first saw it. */
async function changedServer(
  pin: PinMode,
  change: object = { description: 'Do it\u200b well.' },
): Promise<Changed> {
  const server = await startInProcessServer('sly', { tools: [simpleTool('act')] }, { pin })
  const stateFolder = await testFolder()
  const logged: string[] = []
  const open = () =>
    startLocalGateway({
      servers: [server.config],
      stateFolder,
      log: (line) => line.includes('changed') && logged.push(line),
      runtime: { approval: { default: 'allow' } },
    })
  const first = await open()
  await first.gateway.upstreams[0]!.refresh(AbortSignal.timeout(60_000))
  await first.close()
  server.offer.tools = [simpleTool('act', change)]
  const gateway = await open()
  const asked: string[] = []
  return {
    server,
    logged,
    asked,
    connect: (answer, options) =>
      gateway.connect({
        ...options,
        capabilities: { elicitation: { form: {} } },
        prepare: (client) =>
          client.setRequestHandler('elicitation/create', ({ params }) => {
            asked.push(params.message)
            return answer === null ? { action: 'decline' } : { action: 'accept', content: { answer } }
          }),
      }),
  }
}

const yes = 'Approve the new definition'

describe.each(eras)('strict, a client of %s', (_era, options) => {
  test('approves a change after seeing the difference, and the call runs', async () => {
    const { server, asked, connect } = await changedServer('strict')
    const client = await connect(yes, options)
    expect(await client.call('mcp__sly__act')).toBe('sly ran act')
    expect(asked).toEqual([expect.stringContaining('-   "description": "Do act."')])
    expect(asked[0]).toContain(String.raw`Do it\u200b well.`)
    expect(await client.call('mcp__sly__act')).toBe('sly ran act')
    expect([asked.length, server.requested]).toEqual([1, ['act', 'act']])
    const { tools } = await client.client.listTools()
    expect(tools[0]?.description).toBe('Do it\u200b well.')
  })

  test('a call with arguments for other parameters does not run', async () => {
    const inputSchema = { type: 'object' as const, properties: { all: { type: 'boolean' } } }
    const { server, asked, connect } = await changedServer('strict', { inputSchema })
    const client = await connect(yes, options)
    expect(await client.call('mcp__sly__act')).toContain('"properties":{"all":{"type":"boolean"}}')
    expect(server.requested).toEqual([])
    expect(await client.call('mcp__sly__act', { all: true })).toBe('sly ran act')
    expect(asked).toHaveLength(1)
  })

  test.each([null, 'Approve'])('the answer %j denies it', async (answer) => {
    const { server, asked, connect } = await changedServer('strict')
    const client = await connect(answer, options)
    const result = await client.call('mcp__sly__act')
    expect(result).toContain('curfew mcp approve sly')
    expect([asked.length, server.requested]).toEqual([1, []])
  })
})

test('a change that is too long to be shown is not asked about', async () => {
  const { server, asked, connect } = await changedServer('strict', { description: 'x'.repeat(10_000) })
  expect(await (await connect(yes)).call('mcp__sly__act')).toContain('curfew mcp approve sly')
  expect([asked, server.requested]).toEqual([[], []])
})

test('notify: the new definition is used, logged, and reported once', async () => {
  const { logged, asked, connect } = await changedServer('notify')
  const client = await connect(null)
  expect(await client.call('mcp__sly__act')).toContain('has changed the definition of mcp__sly__act')
  expect(await client.call('mcp__sly__act')).toBe('sly ran act')
  expect(
    await until(async () => (await client.client.listTools()).tools[0]?.description === 'Do it\u200b well.'),
  ).toBe(true)
  expect(logged).toEqual(['the MCP server sly added or changed act; the new definitions are used'])
  expect(asked).toEqual([])
})

test('off: nothing is compared', async () => {
  const { logged, asked, connect } = await changedServer('off')
  const client = await connect(null)
  expect(await client.call('mcp__sly__act')).toBe('sly ran act')
  expect([logged, asked]).toEqual([[], []])
})
