import type { CallToolResult } from '@modelcontextprotocol/client'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Message, sendJson, sendResult, serveMcp, startFakeServer } from './helpers/fake-server.ts'
import { legacy } from './helpers/http-gateway.ts'
import type { LocalClient } from './helpers/local-gateway.ts'
import { type RemoteGatewayOptions, startRemoteGateway } from './helpers/remote-gateway.ts'

const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'number', default: 3 },
    options: { type: 'object', properties: { deep: { type: 'boolean', default: true } }, default: {} },
  },
  required: ['text'],
  additionalProperties: false,
}

const mismatch =
  "[curfew] The arguments do not match the tool's schema: text: is required; " +
  'extra: is not a parameter of this tool; count: must be number.'
const wrong = { count: '5', extra: true }

/** A client of a gateway, whose server accepts everything in `accept`, and nothing in the other tools. */
async function connect(options: RemoteGatewayOptions = {}) {
  const received: string[] = []
  const failure = (content: CallToolResult['content']) => ({ isError: true, content })
  const server = await startFakeServer(
    serveMcp(
      {
        accept: (message, response) => {
          received.push(JSON.stringify(message.params?.arguments))
          sendResult(response, message, { content: [{ type: 'text', text: 'accepted' }] })
        },
        reject: (message, response) =>
          sendResult(response, message, failure([{ type: 'text', text: '{"error":"no"}' }])),
        'reject-by-error': ({ id }, response) => {
          const error = { code: -32_602, message: 'Invalid params', data: { hint: 1 } }
          sendJson(response, 200, { jsonrpc: '2.0', id, error })
        },
      },
      { inputSchema },
    ),
  )
  const gateway = await startRemoteGateway(server.origin, options)
  const client = await gateway.connect(legacy)
  const calls = (): (string | undefined)[] =>
    server.seen
      .filter(({ body }) => body.includes('"tools/call"'))
      .map(({ body }) => (JSON.parse(body) as Message).params?.name)
  return { client, received, calls }
}

async function blocks(
  { client }: LocalClient,
  name: string,
  params: Record<string, unknown>,
): Promise<string[]> {
  const { content } = await client.callTool({ name: `mcp__remote__${name}`, arguments: params })
  return content.map((block) => (block.type === 'text' ? block.text : block.type))
}

describe('a tool whose schema the client was shown', () => {
  test('gets arguments that do not match it, without defaults and without a note', async () => {
    const { client, received } = await connect()
    expect(await blocks(client, 'accept', wrong)).toEqual(['accepted'])
    expect(await blocks(client, 'accept', {})).toEqual(['accepted'])
    expect(received).toEqual([JSON.stringify(wrong), '{}'])
  })

  test('a failed call has a note about them, and its own text is unchanged', async () => {
    const { client } = await connect()
    expect(await blocks(client, 'reject', wrong)).toEqual(['{"error":"no"}', mismatch])
    expect(await blocks(client, 'reject', { text: 'a' })).toEqual(['{"error":"no"}'])
  })

  test('a JSON-RPC error has the note in its message', async () => {
    const { client } = await connect()
    await expect(blocks(client, 'reject-by-error', wrong)).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining(`Invalid params\n${mismatch}`),
      data: { hint: 1 },
    })
    await expect(blocks(client, 'reject-by-error', { text: 'a' })).rejects.toThrow(/Invalid params$/)
  })

  test('with strict, they are rejected before they are sent', async () => {
    const { client, calls } = await connect({ settings: { strict: true } })
    expect((await blocks(client, 'accept', wrong)).join()).toMatch(
      /^INVALID_PARAMS: params of mcp__remote__accept: text: is required/,
    )
    expect(calls()).toEqual([])
    expect(await blocks(client, 'accept', { text: 'a' })).toEqual(['accepted'])
  })
})

describe('a stub', () => {
  test('is loaded by arguments that do not match, and gets them once it is loaded', async () => {
    const { client, received } = await connect({ view: 'stub' })
    expect((await blocks(client, 'accept', wrong)).join()).toContain('is loaded and did not run')
    expect(received).toEqual([])
    expect(await blocks(client, 'accept', wrong)).toEqual(['accepted'])
    expect(await blocks(client, 'accept', {})).toEqual(['accepted'])
    expect(received).toEqual([JSON.stringify(wrong), '{}'])
  })

  test('runs with arguments that match', async () => {
    const { client, received } = await connect({ view: 'stub' })
    expect(await blocks(client, 'accept', { text: 'a' })).toEqual(['accepted'])
    expect(received).toEqual(['{"text":"a"}'])
  })
})

test('any arguments arrive as they were sent', async () => {
  const { client, received } = await connect()
  const keys = fc.oneof(fc.constantFrom('text', 'count', 'options', 'toString', '_meta', '1'), fc.string())
  const params = fc
    .dictionary(keys, fc.jsonValue({ maxDepth: 4 }), { noNullPrototype: true })
    // The SDK drops this key.
    .filter((sent) => !JSON.stringify(sent).includes('"__proto__":'))
  await fc.assert(
    fc.asyncProperty(params, async (sent) => {
      received.length = 0
      await blocks(client, 'accept', sent as Record<string, unknown>)
      expect(received).toEqual([JSON.stringify(sent)])
    }),
    { numRuns: 60 },
  )
})
