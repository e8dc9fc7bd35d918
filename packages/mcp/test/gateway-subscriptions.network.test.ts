import { join } from 'node:path'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { loadServers } from '../src/config/load-servers.ts'
import { createGateway } from '../src/gateway/create-gateway.ts'
import { serveGatewayOverHttp } from '../src/serve/serve-gateway-http.ts'
import { type Home, startGateway } from './helpers/gateway.ts'
import { call, hostileHome, recorded } from './helpers/hostile.ts'
import { sendRaw } from './helpers/http-service.ts'

const uri = 'hostile://page'
const modern: ClientOptions = { versionNegotiation: { mode: 'auto' } }

interface Connected {
  readonly client: Client
  /** How many changes it was notified of. */
  readonly updates: () => number
  /** Triggers a change, and waits until it is notified. */
  isNotified(): Promise<boolean>
  leave(): Promise<void>
}

/** Serves a gateway over HTTP in this process, in front of a server that supports subscriptions. */
async function serve(): Promise<{
  readonly home: Home
  readonly url: string
  connect(options?: ClientOptions): Promise<Connected>
}> {
  const home = await hostileHome('reports-changes')
  onTestFinished(() => home[Symbol.asyncDispose]())
  const { servers } = await loadServers({
    user: join(home.folder, '.config', 'curfew'),
    project: null,
    projectFolder: home.folder,
    problems: [],
  })
  const gateway = await createGateway({
    runtime: { approval: { default: 'allow' } },
    tools: [],
    servers,
    stateFolder: join(home.folder, 'state'),
    log: () => {},
  })
  onTestFinished(() => gateway.close())
  const service = await serveGatewayOverHttp(gateway, {
    host: '127.0.0.1',
    port: 0,
    token: null,
    onerror: () => {},
  })
  onTestFinished(() => service.close())
  return {
    home,
    url: service.url,
    async connect(options = {}) {
      let updates = 0
      const client = new Client({ name: 'test', version: '1' }, options)
      client.setNotificationHandler('notifications/resources/updated', () => void updates++)
      const transport = new StreamableHTTPClientTransport(new URL(service.url))
      await client.connect(transport)
      onTestFinished(() => client.close())
      return {
        client,
        updates: () => updates,
        async isNotified() {
          const before = updates
          await client.callTool({ name: 'mcp__hostile__act' })
          return await until(() => updates > before)
        },
        leave: () => transport.terminateSession(),
      }
    },
  }
}

const times = (home: Home, method: string): number => recorded(home, `resources/${method}`).length

test('a client that unsubscribes or leaves does not affect other subscribers', async () => {
  const { home, connect } = await serve()
  const [one, other, listener] = [await connect(), await connect(), await connect(modern)]
  await one.client.subscribeResource({ uri })
  await other.client.subscribeResource({ uri })
  const listening = await listener.client.listen({ resourceSubscriptions: [uri] })
  expect(await listener.isNotified()).toBe(true)
  await one.client.unsubscribeResource({ uri })
  await other.leave()
  expect(await listener.isNotified()).toBe(true)
  expect(times(home, 'unsubscribe')).toBe(0)
  const before = one.updates()
  await listening.close()
  expect(await until(() => times(home, 'unsubscribe') === 1)).toBe(true)
  expect([times(home, 'subscribe'), one.updates()]).toEqual([1, before])
})

test('a subscription waits for a new server and is renewed for a later client', async () => {
  const { home, connect } = await serve()
  const { client, isNotified } = await connect()
  await client.subscribeResource({ uri })
  await client.unsubscribeResource({ uri })
  await client.subscribeResource({ uri })
  expect(await isNotified()).toBe(true)
  expect([times(home, 'subscribe'), times(home, 'unsubscribe')]).toEqual([2, 1])
})

test('a rejected listen subscribes to nothing', async () => {
  const { home, url, connect } = await serve()
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { notifications: { resourceSubscriptions: [uri] }, _meta }
  const body = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }
  const { client } = await connect()
  await client.listResources()
  const rejected = await sendRaw(url, { body, headers: { 'mcp-protocol-version': '2026-07-28' } })
  expect(rejected.status).toBe(400)
  await client.readResource({ uri }).catch(() => {})
  expect(times(home, 'subscribe')).toBe(0)
})

test('over stdio, a 2026 client stops listening with a notification', async () => {
  await using home = await hostileHome('reports-changes')
  let updates = 0
  await using gateway = await startGateway(home, {
    ...modern,
    prepare: (client) =>
      client.setNotificationHandler('notifications/resources/updated', () => void updates++),
  })
  const listening = await gateway.client.listen({ resourceSubscriptions: [uri] })
  expect(await until(() => times(home, 'subscribe') === 1)).toBe(true)
  await call(gateway, 'mcp__hostile__act')
  expect(await until(() => updates === 1)).toBe(true)
  await listening.close()
  expect(await until(() => times(home, 'unsubscribe') === 1)).toBe(true)
})

test('the log level of a client ends with its session', async () => {
  const { home, connect } = await serve()
  const levels = (): unknown[] => recorded(home, 'logging/setLevel').map(({ detail }) => detail?.level)
  const [curious, calm] = [await connect(), await connect()]
  await curious.client.callTool({ name: 'mcp__hostile__fine' })
  await calm.client.setLoggingLevel('error')
  await curious.client.setLoggingLevel('debug')
  expect(await until(() => levels().at(-1) === 'debug')).toBe(true)
  await curious.leave()
  expect(await until(() => levels().at(-1) === 'error')).toBe(true)
  await calm.leave()
  expect(await until(() => levels().at(-1) === 'info')).toBe(true)
})
