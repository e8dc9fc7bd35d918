import type { IncomingMessage, ServerResponse } from 'node:http'
import { systemClock } from '@curfew/core/internal'
import { classifyInboundRequest, isJsonContentType, type ServerNotifier } from '@modelcontextprotocol/server'
import { readBody } from '../http/read-body.ts'
import { maxMessageBytes } from '../wire/read-message.ts'
import { createHostGuard, createTokenGuard, type Guard } from './guard.ts'
import { readPostBody } from './read-post-body.ts'
import { type Rejection, sendRejection } from './send-response.ts'
import type { ServeHttpOptions } from './serve-http.ts'
import { createModern, type Modern } from './serve-modern.ts'
import { endSession, serveSessionPost, serveSessionStream } from './serve-session.ts'
import { Sessions } from './sessions.ts'
import { withTraceContext } from './with-trace-context.ts'

export const endpointPath = '/mcp'
/** The interval of `beat`. */
export const beatMs = 15_000
const firstModernVersion = '2026-07-28'

/** Checks every HTTP request and routes it to the sessions of 2025 clients or the handler for 2026 clients. */
export class HttpEndpoint {
  readonly #guards: readonly Guard[]
  readonly #sessions: Sessions
  readonly #modern: Modern
  #closing = false

  constructor({
    createServer,
    host,
    token,
    inputSchema,
    onListen,
    onerror,
    clock = systemClock,
  }: ServeHttpOptions) {
    this.#guards = [createHostGuard(host), checkPath, createTokenGuard(token)]
    this.#sessions = new Sessions({
      createServer: (sessionId) => createServer({ era: 'legacy', sessionId }),
      clock,
      onerror,
    })
    this.#modern = createModern({
      createServer: () => createServer({ era: 'modern', sessionId: undefined }),
      inputSchema,
      onListen,
      keepAliveMs: beatMs,
      onerror,
    })
  }

  get notify(): ServerNotifier {
    return this.#modern.notify
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const check of this.#guards) {
      const rejection = check(request)
      if (rejection !== null) return sendRejection(response, rejection)
    }
    if (this.#closing)
      return sendRejection(response, { status: 503, code: -32000, message: 'The server is closing.' })
    if (request.method === 'POST') return await this.#servePost(request, response)
    const modernVersion = namesModernVersion(request)
    if (request.method === 'GET' && !modernVersion)
      return serveSessionStream(this.#sessions, request, response)
    if (request.method === 'DELETE' && !modernVersion) return endSession(this.#sessions, request, response)
    const headers = ['Allow', modernVersion ? 'POST' : 'GET, POST, DELETE']
    sendRejection(response, { status: 405, code: -32000, message: 'Method not allowed.', headers })
  }

  async #servePost(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = await readPost(request)
    if (read === null) return
    if ('status' in read) return sendRejection(response, read)
    const { headers } = request
    const body = withTraceContext(read.messages, headers)
    const route = classifyInboundRequest({
      httpMethod: 'POST',
      ...oneHeader('protocolVersionHeader', headers['mcp-protocol-version']),
      ...oneHeader('mcpMethodHeader', headers['mcp-method']),
      ...oneHeader('mcpNameHeader', headers['mcp-name']),
      body,
    })
    if (route.kind !== 'legacy') return await this.#modern.serve(request, response, body)
    await serveSessionPost(this.#sessions, request, response, body)
  }

  /** Called periodically: keeps quiet streams open and ends unused sessions. */
  beat(): void {
    this.#sessions.beat()
    this.#modern.beat()
  }

  /** Ends all sessions and requests; new ones are rejected. */
  async close(): Promise<void> {
    this.#closing = true
    this.#sessions.endAll()
    await this.#modern.close()
  }
}

/** `null` if the client disconnected before the body was complete. */
async function readPost(request: IncomingMessage): Promise<ReturnType<typeof readPostBody> | null> {
  if (!isJsonContentType(request.headers['content-type'] ?? null))
    return { status: 415, code: -32000, message: 'Content-Type must be application/json.' }
  const read = await readBody(request, maxMessageBytes)
  if (read === 'aborted') return null
  if (read !== 'too-large') return readPostBody(read.text)
  const message = `Expected a body of at most ${maxMessageBytes / 1024 / 1024} MiB.`
  return { status: 413, code: -32000, message }
}

function checkPath({ url = '' }: IncomingMessage): Rejection | null {
  if (url === endpointPath || url.startsWith(`${endpointPath}?`) || url === `${endpointPath}/`) return null
  return { status: 404, code: -32000, message: `Not found. The endpoint is ${endpointPath}.` }
}

function namesModernVersion({ headers }: IncomingMessage): boolean {
  const version = headers['mcp-protocol-version']
  return typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version) && version >= firstModernVersion
}

function oneHeader(name: string, value: string | string[] | undefined): Record<string, string> {
  return typeof value === 'string' ? { [name]: value } : {}
}
