import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface FakeServer {
  readonly origin: string
  /** Every request, in order. */
  readonly seen: Seen[]
}

export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Responds to a request; returns false for requests that it does not handle. */
export type Answer = (request: Seen, response: ServerResponse) => boolean | Promise<boolean>

/** An HTTP server on loopback that a test controls; it is closed after the test. */
export async function startFakeServer(...answers: readonly Answer[]): Promise<FakeServer> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '/', headers } = request
    const received = { method, path: url, headers, body: await text(request) }
    seen.push(received)
    for (const answer of answers) if (await answer(received, response)) return
    response.writeHead(404).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

export function sendJson(response: ServerResponse, status: number, value: unknown, headers = {}): true {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
  return true
}

export interface Message {
  readonly id?: number | string
  readonly method: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: Readonly<Record<string, unknown>>
    readonly _meta?: { readonly progressToken?: number }
  }
}

/** How a tool of the server responds. */
export type ToolAnswer = (message: Message, response: ServerResponse) => void

export interface FakeListing {
  readonly instructions?: string
  /** Of every tool. @default any object */
  readonly inputSchema?: object
  /** Fields of the tools' definitions, by name. */
  readonly definitions?: Readonly<Record<string, object>>
}

/** A minimal 2025 server at `/mcp` with these tools. */
export function serveMcp(tools: Readonly<Record<string, ToolAnswer>>, listing: FakeListing = {}): Answer {
  return ({ method, path, body }, response) => {
    if (path !== '/mcp') return false
    if (method !== 'POST') return sendJson(response, 405, {})
    const message = JSON.parse(body) as Message
    const result = answerTo(message, Object.keys(tools), listing)
    if (message.id === undefined) response.writeHead(202).end()
    else if (message.method === 'tools/call') tools[message.params!.name!]!(message, response)
    else if (result === null) sendError(response, message)
    else sendResult(response, message, result)
    return true
  }
}

export function sendResult(response: ServerResponse, { id }: Message, result: unknown): void {
  sendJson(response, 200, { jsonrpc: '2.0', id, result })
}

export function answerText(text: string): ToolAnswer {
  return (message, response) => sendResult(response, message, { content: [{ type: 'text', text }] })
}

function sendError(response: ServerResponse, { id }: Message): void {
  sendJson(response, 200, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } })
}

function answerTo({ method }: Message, names: readonly string[], listing: FakeListing): object | null {
  const { instructions, inputSchema = { type: 'object' }, definitions } = listing
  if (method === 'tools/list')
    return { tools: names.map((name) => ({ name, inputSchema, ...definitions?.[name] })) }
  if (method !== 'initialize') return null
  const serverInfo = { name: 'fake', version: '1' }
  return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo, instructions }
}
