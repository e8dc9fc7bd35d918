import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, defineTool, toolResult } from '@curfew/core'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { upstreamTools } from '../src/client/tools/upstream-tools.ts'
import { createGateway, type GatewayOptions } from '../src/gateway/create-gateway.ts'
import { serveGatewayOverHttp } from '../src/serve/serve-gateway-http.ts'
import { sendResult, serveMcp, startFakeServer } from './helpers/fake-server.ts'
import { remoteUpstream } from './helpers/remote-upstream.ts'

const data = Buffer.from('not really an image').toString('base64')
const legacy: ClientOptions = { versionNegotiation: { mode: 'legacy' } }
const modern: ClientOptions = { versionNegotiation: { mode: 'auto' } }

/** Serves tools over HTTP in this process. */
async function connect(
  options: Pick<GatewayOptions, 'tools'> & Partial<GatewayOptions>,
  clientOptions: ClientOptions,
  prepare: (client: Client) => void = () => {},
): Promise<Client> {
  const stateFolder = await mkdtemp(join(tmpdir(), 'curfew-parts-'))
  onTestFinished(() => rm(stateFolder, { recursive: true }))
  const runtime = { approval: 'allow' as const }
  const gateway = await createGateway({ runtime, servers: [], stateFolder, log: () => {}, ...options })
  onTestFinished(() => gateway.close())
  const http = { host: '127.0.0.1', port: 0, token: null, onerror: () => {} }
  const service = await serveGatewayOverHttp(gateway, http)
  onTestFinished(() => service.close())
  const client = new Client({ name: 'test', version: '1' }, clientOptions)
  prepare(client)
  await client.connect(new StreamableHTTPClientTransport(new URL(service.url)))
  onTestFinished(() => client.close())
  return client
}

const eras: [string, ClientOptions][] = [
  ['2025-11-25', legacy],
  ['2026-07-28', modern],
]

test.each(eras)('parts of our own tools become content blocks, %s', async (_era, options) => {
  const draw = defineTool({
    name: 'draw',
    description: 'Draw.',
    readOnly: true,
    execute: () =>
      toolResult({
        value: { width: 3 },
        parts: [
          { type: 'image', data, mediaType: 'image/png' },
          { type: 'audio', data, mediaType: 'audio/wav' },
          { type: 'file', data, mediaType: 'application/pdf', name: 'a b.pdf' },
          { type: 'resource', uri: 'memo:text', mediaType: 'text/plain', text: 'hi' },
          { type: 'resource', uri: 'memo:data', data },
          { type: 'resource', uri: 'https://example.com/a', title: 'A' },
        ],
      }),
  })
  const client = await connect({ tools: [draw] }, options)
  const result = await client.callTool({ name: 'draw' })
  expect(result.isError).not.toBe(true)
  expect(result.content).toEqual([
    { type: 'text', text: '{"width":3}' },
    { type: 'image', data, mimeType: 'image/png' },
    { type: 'audio', data, mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'attachment:a%20b.pdf', mimeType: 'application/pdf', blob: data } },
    { type: 'resource', resource: { uri: 'memo:text', mimeType: 'text/plain', text: 'hi' } },
    { type: 'resource', resource: { uri: 'memo:data', blob: data } },
    { type: 'resource_link', uri: 'https://example.com/a', name: 'A', title: 'A' },
  ])
})

test.each(eras)('tools/list has the title and the meta of our own tools, %s', async (_era, options) => {
  const meta = { 'example.com/icon': { name: 'pencil' } }
  const titled = defineTool({
    name: 'draw',
    title: 'Draw a picture',
    description: 'Draw.',
    meta,
    execute: () => {},
  })
  const plain = defineTool({ name: 'plain', description: 'Do nothing.', execute: () => {} })
  for (const view of ['brief', 'full'] as const) {
    const { tools } = await (await connect({ tools: [titled, plain], view }, options)).listTools()
    expect(tools[0]).toMatchObject({ name: 'draw', title: 'Draw a picture', _meta: meta })
    expect(tools[1]).not.toHaveProperty('title')
    expect(tools[1]).not.toHaveProperty('_meta')
  }
})

test.each(eras)('a preview is part of the question, %s', async (_era, options) => {
  const asked: string[] = []
  const write = defineTool({
    name: 'write',
    description: 'Write.',
    preview: () => '-\told\u001b[2K\n+\tnew',
    execute: () => 'written',
  })
  const client = await connect(
    { tools: [write], runtime: { approval: 'ask' } },
    { ...options, capabilities: { elicitation: { form: {} } } },
    (client) =>
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push(params.message)
        return { action: 'accept', content: { answer: 'Yes, this once' } }
      }),
  )
  expect((await client.callTool({ name: 'write' })).content).toEqual([{ type: 'text', text: 'written' }])
  expect(asked).toEqual(['Allow write?\n\n-    old\\u001b[2K\n+    new'])
})

test("a server's blocks become parts, and its result is the value", async () => {
  const content = [
    { type: 'text', text: 'two files:' },
    { type: 'image', data, mimeType: 'image/png' },
    { type: 'image', data, mimeType: 'application/octet-stream' },
    { type: 'audio', data, mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'memo:text', mimeType: 'text/plain', text: 'hi' } },
    { type: 'resource', resource: { uri: 'memo:data', blob: data } },
    { type: 'resource_link', uri: 'https://example.com/a', name: 'A', mimeType: 'text/html' },
    { type: 'resource_link', uri: 'no uri', name: 'B' },
  ]
  const { origin } = await startFakeServer(
    serveMcp({
      files: (message, response) => sendResult(response, message, { content }),
      text: (message, response) => sendResult(response, message, { content: content.slice(0, 1) }),
    }),
  )
  const { upstream } = await remoteUpstream({ url: `${origin}/mcp`, kind: 'http' })
  await upstream.refresh(new AbortController().signal)
  await using runtime = createRuntime({ approval: 'allow', log: () => {} })
  runtime.register(upstreamTools(upstream).map(({ tool }) => tool))
  const [files, text] = await runtime.execute([
    { id: '1', name: 'mcp__remote__files' },
    { id: '2', name: 'mcp__remote__text' },
  ])
  expect(files).toMatchObject({
    status: 'success',
    value: { content },
    parts: [
      { type: 'text', text: 'two files:' },
      { type: 'image', data, mediaType: 'image/png' },
      { type: 'file', data, mediaType: 'application/octet-stream' },
      { type: 'audio', data, mediaType: 'audio/wav' },
      { type: 'resource', uri: 'memo:text', mediaType: 'text/plain', text: 'hi' },
      { type: 'resource', uri: 'memo:data', data },
      { type: 'resource', uri: 'https://example.com/a', title: 'A', mediaType: 'text/html' },
    ],
    content: [
      'two files:',
      '[image image/png, 19 bytes]',
      '[file application/octet-stream, 19 bytes]',
      '[audio audio/wav, 19 bytes]',
      'hi',
      '[resource memo:data, 19 bytes]',
      '[resource https://example.com/a]',
      '[resource no uri]',
    ].join('\n'),
  })
  expect(text).toMatchObject({ content: 'two files:' })
  expect(text).not.toHaveProperty('parts')
})
