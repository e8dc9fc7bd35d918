import { defineTool, type Tool } from '@curfew/core'
import type { ClientOptions } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { sendRaw } from './helpers/http-service.ts'
import {
  type InProcessServer,
  simpleTool,
  startInProcessServer,
  testFolder,
} from './helpers/in-process-server.ts'
import { type LocalGateway, startLocalGateway } from './helpers/local-gateway.ts'

const eras: readonly [string, ClientOptions][] = [
  ['2025-11-25', { versionNegotiation: { mode: 'legacy' } }],
  ['2026-07-28', { versionNegotiation: { mode: 'auto' } }],
]

function ownTool(name: string): Tool {
  return defineTool({
    name,
    description: `Run ${name}.`,
    parameters: { type: 'object' },
    execute: () => 'ran',
  })
}

interface Served extends LocalGateway {
  readonly work: InProcessServer
  readonly home: InProcessServer
}

/** A gateway with two servers, of which one token allows only the first. */
async function serve(view: 'stub' | 'brief' = 'brief'): Promise<Served> {
  const offer = (name: string) => ({
    tools: [simpleTool('read'), simpleTool('write')],
    prompts: [{ name: `${name}-prompt` }],
    resources: [{ uri: `${name}://page`, name: 'page' }],
  })
  const [work, home] = await Promise.all([
    startInProcessServer('work', offer('work'), { trust: true }),
    startInProcessServer('home', offer('home'), { trust: true }),
  ])
  const gateway = await startLocalGateway({
    servers: [work.config, home.config],
    tools: [ownTool('notes'), ownTool('diary')],
    stateFolder: await testFolder(),
    view,
    runtime: { approval: { default: 'allow' } },
    profiles: [
      {
        token: 'limited',
        profile: { name: 'work', servers: ['work'], tools: ['notes'], exclude: ['*__write'] },
      },
    ],
  })
  // On a busy machine, a list may be returned before the servers are known.
  await Promise.all(gateway.gateway.upstreams.map((one) => one.refresh(AbortSignal.timeout(60_000))))
  return { ...gateway, work, home }
}

describe.each(eras)('a client of %s with the token of a profile', (_era, options) => {
  test('sees and uses only what the profile contains', async () => {
    const gateway = await serve()
    const { client, call } = await gateway.connect({ token: 'limited', ...options })
    const all = await gateway.connect(options)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['notes', 'mcp__work__read'])
    expect((await all.client.listTools()).tools).toHaveLength(6)
    expect(await call('mcp__work__read')).toBe('work ran read')
    for (const name of ['mcp__work__write', 'mcp__home__read', 'diary', 'mcp/home'])
      await expect(call(name)).rejects.toThrow(`unknown tool "${name}"`)
    // For this client, no other tool has that name.
    expect(await call('read')).toBe('work ran read')
    await expect(all.call('read')).rejects.toThrow(
      'ambiguous tool "read"; several servers have it: mcp__work__read, mcp__home__read',
    )
    expect(await all.call('mcp__home__read')).toBe('home ran read')

    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['work-prompt'])
    await client.getPrompt({ name: 'work-prompt' })
    await expect(client.getPrompt({ name: 'home-prompt' })).rejects.toThrow('there is no prompt')
    const argument = { name: 'a', value: '' }
    const complete = (name: string) => client.complete({ ref: { type: 'ref/prompt', name }, argument })
    expect((await complete('work-prompt')).completion.values).toEqual(['work'])
    await expect(complete('home-prompt')).rejects.toThrow('there is no prompt')

    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['work://page'])
    await client.readResource({ uri: 'work://page' })
    // The only server with resources that the client knows of may have more than it lists.
    await client.readResource({ uri: 'home://page' })
    expect(gateway.home.requested).toEqual(['read'])
    expect(gateway.work.requested).toEqual(['read', 'read', 'work-prompt', 'work://page', 'home://page'])
  })

  test('finds nothing else', async () => {
    const gateway = await serve('stub')
    const { client, call } = await gateway.connect({ token: 'limited', ...options })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'search_tools',
      'call_tool',
      'notes',
      'mcp__work__read',
    ])
    const found = JSON.parse(await call('search_tools', { query: 'Do read write', limit: 50 }))
    expect(found.tools.map(({ name }: Tool) => name)).toEqual(['mcp__work__read', 'call_tool'])
    const selected = JSON.parse(await call('search_tools', { query: 'select:mcp__home__read,diary' }))
    expect(selected).toMatchObject({ tools: [], unknown: ['mcp__home__read', 'diary'] })
    expect(await call('call_tool', { name: 'mcp__work__read', arguments: {} })).toBe('work ran read')
    for (const name of ['mcp__home__read', 'diary', 'mcp__work__write'])
      await expect(call('call_tool', { name, arguments: {} })).rejects.toThrow(`unknown tool "${name}"`)
    expect(gateway.home.requested).toEqual([])
  })
})

test.each(eras)('only clients that see a change are notified of it: %s', async (_era, options) => {
  const { gateway, work, home, connect } = await serve()
  const changes: string[] = []
  for (const token of ['limited', 'token-a']) {
    const onChanged = (): void => void changes.push(token)
    const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged } }
    await (await connect({ token, ...options, listChanged })).client.listTools()
  }
  const add = async (server: InProcessServer): Promise<void> => {
    server.offer.tools = [...server.offer.tools, simpleTool('added')]
    const upstream = gateway.upstreams.find(({ name }) => name === server.config.name)!
    await upstream.refresh(AbortSignal.timeout(20_000))
  }
  changes.length = 0
  await add(home)
  await until(() => changes.includes('token-a'))
  await add(work)
  await until(() => changes.includes('limited'))
  expect(changes.filter((token) => token === 'limited')).toHaveLength(1)
})

test('a session belongs to the token that created it', async () => {
  const { url } = await serve()
  const send = (token: string, session: string | undefined, body: object) =>
    sendRaw(url, { headers: { authorization: `Bearer ${token}`, 'mcp-session-id': session }, body })
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  }
  const first = await send('token-a', undefined, initialize)
  await first.text()
  const session = String(first.headers['mcp-session-id'])
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
  for (const [token, status] of [
    ['limited', 404],
    ['other', 401],
    ['token-a', 200],
  ] as const) {
    const answer = await send(token, session, list)
    await answer.text()
    expect(answer.status).toBe(status)
  }
})

test('with a profile for everyone, other servers are not started', async () => {
  const [work, home] = await Promise.all([startInProcessServer('work'), startInProcessServer('home')])
  const { gateway } = await startLocalGateway({
    servers: [work.config, home.config],
    stateFolder: await testFolder(),
    profile: { name: 'work', servers: ['work'] },
  })
  expect(gateway.upstreams.map(({ name }) => name)).toEqual(['work'])
  await gateway.setServers([home.config, work.config])
  expect(gateway.upstreams.map(({ name }) => name)).toEqual(['work'])
})

test('two tokens must differ', async () => {
  const profiles = [{ token: 'token-a', profile: { name: 'work' } }]
  await expect(startLocalGateway({ profiles })).rejects.toThrow('two of the tokens are the same')
})
