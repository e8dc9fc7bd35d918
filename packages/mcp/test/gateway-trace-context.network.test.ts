import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { createHome, type Home, startGateway } from './helpers/gateway.ts'
import { hostileHome, recorded } from './helpers/hostile.ts'
import { legacy, modern, startHttpGateway, token } from './helpers/http-gateway.ts'

const parentOf = (span: number): string =>
  `00-4bf92f3577b34da6a3ce929d0e0e4736-${String(span).padStart(16, '0')}-01`
const name = 'mcp__hostile__echo'

/** The `_meta` of each call that the server received. */
function received(home: Home): Record<string, unknown>[] {
  return recorded(home, 'tools/call').map(({ detail }) => (detail as { meta?: object } | null)?.meta as never)
}

test('a server gets the trace context of the client, and everything else in _meta', async () => {
  await using home = await hostileHome('healthy')
  await using gateway = await startGateway(home)
  const call = (_meta: Record<string, unknown>) =>
    gateway.client.callTool({ name, arguments: { text: 'a' }, _meta })
  const context = { traceparent: parentOf(1), tracestate: 'vendor=1', baggage: 'user=alice' }
  await call({ ...context, 'example.com/x': 1 })
  await call({ traceparent: parentOf(2), tracestate: 'not valid' })
  await call({ traceparent: 'not valid', tracestate: 'vendor=1', baggage: 'user=alice' })
  await call({})
  const [first, second, third, fourth] = received(home)
  expect(first).toMatchObject({ ...context, 'example.com/x': 1 })
  expect(second).toMatchObject({ traceparent: parentOf(2) })
  expect(second).not.toHaveProperty('tracestate')
  expect(third).toMatchObject({ baggage: 'user=alice' })
  for (const meta of [third, fourth]) {
    expect(meta).not.toHaveProperty('traceparent')
    expect(meta).not.toHaveProperty('tracestate')
  }
})

test('calls without a context of their own belong to that of the process', async () => {
  await using home = await hostileHome('healthy')
  const env = { ...home.env, TRACEPARENT: parentOf(1), TRACESTATE: 'vendor=1', BAGGAGE: 'user=alice' }
  await using gateway = await startGateway({ ...home, env })
  const call = (_meta: Record<string, unknown>) =>
    gateway.client.callTool({ name, arguments: { text: 'a' }, _meta })
  await call({})
  await call({ traceparent: parentOf(2) })
  const [first, second] = received(home)
  expect(first).toMatchObject({ traceparent: parentOf(1), tracestate: 'vendor=1' })
  expect(first).not.toHaveProperty('baggage')
  expect(second).toMatchObject({ traceparent: parentOf(2) })
  expect(second).not.toHaveProperty('tracestate')
})

test("a server's environment contains no trace context: it serves many calls", async () => {
  await using home = await createHome(() => ({
    everything: { command: process.execPath, args: [everything, 'stdio'] },
  }))
  const env = { ...home.env, TRACEPARENT: parentOf(1), TRACESTATE: 'vendor=1', OTEL_SERVICE_NAME: 'x' }
  await using gateway = await startGateway({ ...home, env })
  const { content } = await gateway.client.callTool({ name: 'mcp__everything__get-env', arguments: {} })
  const shown = JSON.parse((content[0] as { text: string }).text) as Record<string, string>
  expect(shown.PATH).toBeDefined()
  expect(Object.keys(shown).filter((key) => /^(?:TRACE|BAGGAGE|OTEL)/.test(key))).toEqual([])
})

const everything = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve('@modelcontextprotocol/server-everything/package.json')),
)

describe.each([
  ['2025', legacy],
  ['2026', modern],
])('over HTTP, with a client of %s', (_year, options) => {
  test('the header applies to requests without a context of their own', async () => {
    await using home = await hostileHome('healthy')
    await using gateway = await startHttpGateway(home)
    const client = new Client({ name: 'test', version: '1' }, options)
    const headers = {
      authorization: `Bearer ${token}`,
      traceparent: parentOf(1),
      tracestate: 'vendor=1',
      baggage: 'user=alice',
    }
    await client.connect(
      new StreamableHTTPClientTransport(new URL(gateway.url), { requestInit: { headers } }),
    )
    try {
      const call = (_meta: Record<string, unknown>) =>
        client.callTool({ name, arguments: { text: 'a' }, _meta })
      await call({})
      await call({ traceparent: parentOf(2) })
      await call({ traceparent: 'not valid' })
      const [first, second, third] = received(home)
      expect(first).toMatchObject({ traceparent: parentOf(1), tracestate: 'vendor=1' })
      expect(first).not.toHaveProperty('baggage')
      expect(second).toMatchObject({ traceparent: parentOf(2) })
      expect(second).not.toHaveProperty('tracestate')
      expect(third).toMatchObject({ traceparent: parentOf(1) })
    } finally {
      await client.close()
    }
  })
})
