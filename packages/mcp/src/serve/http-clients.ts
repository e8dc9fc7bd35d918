import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@curfew/core/internal'
import {
  classifyInboundRequest,
  isJsonContentType,
  type Server,
  type ServerNotifier,
} from '@modelcontextprotocol/server'
import type { OnPresence } from '../gateway/gateway.ts'
import { readBody } from '../http/read-body.ts'
import { maxMessageBytes } from '../wire/read-message.ts'
import { isSessionRequest } from './is-session-request.ts'
import { readPostBody } from './read-post-body.ts'
import { sendRejection } from './send-response.ts'
import { createModern, type Modern } from './serve-modern.ts'
import { endSession, serveSessionPost, serveSessionStream } from './serve-session.ts'
import { Sessions } from './sessions.ts'
import { withTraceContext } from './with-trace-context.ts'

/** What a server is created for. */
export interface ServerContext {
  readonly era: 'legacy' | 'modern'
  /** Of a 2025 client. */
  readonly sessionId?: string
  readonly onPresence?: OnPresence
}

/** What the clients with one token are served. */
export interface HttpAccess {
  /** A low-level SDK `Server` with all handlers set, for one session (2025) or one request (2026). */
  readonly createServer: (context: ServerContext) => Server
  /** The bearer token of all requests; `null` for none, which requires a loopback host. */
  readonly token: string | null
  /** Called when a 2026 client subscribes to resources. Returns an unsubscribe function. */
  readonly onListen?: ((uris: readonly string[]) => () => void) | undefined
  /** The input schema of a tool as clients see it; arguments that it requires in headers are compared. */
  readonly inputSchema?: ((tool: string) => unknown) | undefined
}

export interface HttpClientsOptions {
  readonly keepAliveMs: number
  readonly onerror: (error: Error) => void
  readonly clock: Clock
}

const firstModernVersion = '2026-07-28'

/** The clients with one token: sessions of 2025 clients and requests of 2026 clients. A session exists only for its token. */
export class HttpClients {
  readonly #sessions: Sessions
  readonly #modern: Modern

  constructor({ createServer, inputSchema, onListen }: HttpAccess, options: HttpClientsOptions) {
    const { keepAliveMs, onerror, clock } = options
    this.#sessions = new Sessions({
      createServer: (sessionId, onPresence) => createServer({ era: 'legacy', sessionId, onPresence }),
      clock,
      onerror,
    })
    this.#modern = createModern({
      createServer: () => createServer({ era: 'modern' }),
      inputSchema,
      onListen,
      keepAliveMs,
      onerror,
    })
  }

  get notify(): ServerNotifier {
    return this.#modern.notify
  }

  /** Routes a request to the sessions of 2025 clients or the handler for 2026 clients. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
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
    if (isSessionRequest(body, headers))
      return await serveSessionPost(this.#sessions, request, response, body)
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

  /** Ends all sessions and requests. */
  async close(): Promise<void> {
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

function namesModernVersion({ headers }: IncomingMessage): boolean {
  const version = headers['mcp-protocol-version']
  return typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version) && version >= firstModernVersion
}

function oneHeader(name: string, value: string | string[] | undefined): Record<string, string> {
  return typeof value === 'string' ? { [name]: value } : {}
}
