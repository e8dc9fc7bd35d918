import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock, Timer } from '@curfew/core'
import { isLoopback, messageOf, systemClock } from '@curfew/core/adapter'
import {
  classifyInboundRequest,
  isJsonContentType,
  type JSONRPCMessage,
  type Server,
  type ServerNotifier,
} from '@modelcontextprotocol/server'
import { readBody } from '../http/read-body.ts'
import { createNameGuard, createTokenGuard } from './guard.ts'
import { refuse } from './http-answer.ts'
import { createModern } from './serve-modern.ts'
import { endSession, serveSessionPost, serveSessionStream } from './serve-session.ts'
import { Sessions } from './sessions.ts'

const endpoint = '/mcp'
const mostBodyBytes = 16 * 1024 * 1024
const beatMs = 15_000
/** For what is still being sent. */
const closeMs = 250
const firstModernVersion = '2026-07-28'

export interface ServeHttpOptions {
  /** A low-level SDK `Server` with all handlers set, for one session (2025) or one request (2026). */
  readonly createServer: (context: { era: 'legacy' | 'modern'; sessionId: string | undefined }) => Server
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  /** What every request must bear. Null lets everybody in, which only a loopback host allows. */
  readonly token: string | null
  /** A client of 2026 wants to hear of changes of these resources; returns what to do when it does not any more. */
  readonly onListen?: ((uris: readonly string[]) => () => void) | undefined
  /** What went wrong beside the answers: messages that were dropped, requests that were refused. */
  readonly onerror: (error: Error) => void
  /** The schema of a tool's parameters as clients are shown it: what it wants repeated in headers is checked. */
  readonly inputSchema?: (tool: string) => unknown
  readonly clock?: Clock
}

export interface HttpService {
  readonly url: string
  /** For the `subscriptions/listen` streams of 2026-era clients. The servers of sessions notify by themselves. */
  readonly notify: ServerNotifier
  close(): Promise<void>
}

/** Serves MCP over HTTP: sessions for clients of 2025, single requests for those of 2026, on one address. */
export async function serveHttp(options: ServeHttpOptions): Promise<HttpService> {
  const { createServer, host, port, token, onerror, clock = systemClock } = options
  checkOptions(token, host)
  const checkName = createNameGuard(host)
  const checkToken = createTokenGuard(token)
  const sessions = new Sessions({
    createServer: (sessionId) => createServer({ era: 'legacy', sessionId }),
    clock,
    onerror,
  })
  const modern = createModern({
    createServer: () => createServer({ era: 'modern', sessionId: undefined }),
    inputSchema: options.inputSchema,
    onListen: options.onListen,
    keepAliveMs: beatMs,
    onerror,
  })
  let closing: Promise<void> | undefined

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = checkName(request) ?? checkPath(request) ?? checkToken(request)
    if (refusal !== null) return refuse(response, refusal)
    if (closing !== undefined) return refuse(response, { status: 503, code: -32000, message: 'Closing.' })
    if (request.method === 'POST') return servePost(request, response)
    const modernVersion = namesModernVersion(request)
    if (request.method === 'GET' && !modernVersion) return serveSessionStream(sessions, request, response)
    if (request.method === 'DELETE' && !modernVersion) return endSession(sessions, request, response)
    const headers = ['Allow', modernVersion ? 'POST' : 'GET, POST, DELETE']
    refuse(response, { status: 405, code: -32000, message: 'Method not allowed.', headers })
  }

  async function servePost(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers } = request
    if (!isJsonContentType(headers['content-type'] ?? null)) {
      return refuse(response, {
        status: 415,
        code: -32000,
        message: 'Content-Type must be application/json.',
      })
    }
    const read = await readBody(request, mostBodyBytes)
    if (read === 'broken-off') return
    if (read === 'too-large') {
      return refuse(response, {
        status: 413,
        code: -32000,
        message: `A request may have ${mostBodyBytes / 1024 / 1024} MiB at the most.`,
      })
    }
    let body: unknown
    try {
      body = JSON.parse(read.text)
    } catch (error) {
      return refuse(response, { status: 400, code: -32700, message: `Not JSON: ${messageOf(error)}` })
    }
    const route = classifyInboundRequest({
      httpMethod: 'POST',
      ...oneHeader('protocolVersionHeader', headers['mcp-protocol-version']),
      ...oneHeader('mcpMethodHeader', headers['mcp-method']),
      ...oneHeader('mcpNameHeader', headers['mcp-name']),
      body,
    })
    if (route.kind === 'legacy') {
      return serveSessionPost(sessions, request, response, body as JSONRPCMessage | JSONRPCMessage[])
    }
    return modern.serve(request, response, body)
  }

  const http = createHttpServer({
    // A head within 5 s and a whole request within 60; how long the answer takes is the call's affair.
    headersTimeout: 5_000,
    requestTimeout: 60_000,
    connectionsCheckingInterval: 2_000,
    // Longer than clients keep a connection, so that none is closed just as it is used again.
    keepAliveTimeout: 75_000,
    noDelay: true,
  })
  http.on('request', (request, response) => {
    serve(request, response).catch((error: unknown) => {
      onerror(error instanceof Error ? error : new Error(messageOf(error)))
      if (response.headersSent) response.destroy()
      else refuse(response, { status: 500, code: -32603, message: 'Internal error.' })
    })
  })

  let beat: Timer
  const scheduleBeat = (): void => {
    beat = clock.setTimer(beatMs, () => {
      sessions.beat()
      modern.beat()
      scheduleBeat()
    })
  }

  async function close(): Promise<void> {
    clock.clearTimer(beat)
    const closed = new Promise<void>((resolve) => {
      http.close(() => resolve())
    })
    sessions.endAll()
    await modern.close()
    // Answers that were just ended leave their connections idle a moment later.
    clock.defer(() => http.closeIdleConnections())
    const force = clock.setTimer(closeMs, () => http.closeAllConnections())
    await closed
    clock.clearTimer(force)
  }

  await new Promise<void>((resolve, reject) => {
    http.once('error', (error) => reject(new Error(cannotListen(error, host, port), { cause: error })))
    http.listen(port, host, resolve)
  })
  http.on('error', onerror)
  scheduleBeat()
  return {
    url: addressOf(http.address() as AddressInfo),
    notify: modern.notify,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

function checkOptions(token: string | null, host: string): void {
  if (token === '') throw new TypeError('The token is empty. Give one, or null for none on a loopback host.')
  if (token === null && !isLoopback(host)) {
    throw new TypeError(`Without a token only a loopback host can be served, not ${host}.`)
  }
}

function checkPath({ url = '' }: IncomingMessage): { status: number; code: number; message: string } | null {
  if (url === endpoint || url.startsWith(`${endpoint}?`) || url === `${endpoint}/`) return null
  return { status: 404, code: -32000, message: `Nothing is served here but ${endpoint}.` }
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE') {
    return `port ${port} of ${host} is taken; choose another one, or 0 for any that is free`
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `${host} is no address of this machine`
  return `cannot listen on ${host}, port ${port}: ${messageOf(error)}`
}

function namesModernVersion({ headers }: IncomingMessage): boolean {
  const version = headers['mcp-protocol-version']
  return typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version) && version >= firstModernVersion
}

function oneHeader(name: string, value: string | string[] | undefined): Record<string, string> {
  return typeof value === 'string' ? { [name]: value } : {}
}

function addressOf({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}${endpoint}`
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}${endpoint}`
}
