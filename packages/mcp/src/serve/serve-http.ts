import { once } from 'node:events'
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Clock, messageOf, systemClock } from '@curfew/core/internal'
import { isLoopback } from '@curfew/extensions/internal'
import type { ServerNotifier } from '@modelcontextprotocol/server'
import type { HttpAccess } from './http-clients.ts'
import { beatMs, endpointPath, HttpEndpoint } from './http-endpoint.ts'
import { sendRejection } from './send-response.ts'

/** How long closing waits for open responses to be sent. */
const closeMs = 250

export interface ServeHttpOptions extends HttpAccess {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Further tokens, whose clients are served something else. */
  readonly limited?: readonly HttpAccess[] | undefined
  /** Called with errors that are not part of a response, such as dropped messages. */
  readonly onerror: (error: Error) => void
  readonly clock?: Clock | undefined
}

export interface HttpService {
  readonly url: string
  /**
   * Notify the `subscriptions/listen` streams of 2026 clients; the servers of sessions notify themselves. One for the clients with the
   * first token, then one for each further token.
   */
  readonly notifiers: readonly ServerNotifier[]
  close(): Promise<void>
}

/** Serves MCP over HTTP on one URL: sessions for 2025 clients, single requests for 2026 clients. */
export async function serveHttp(options: ServeHttpOptions): Promise<HttpService> {
  const { host, port, onerror, clock = systemClock } = options
  checkOptions(options)
  const endpoint = new HttpEndpoint(options)
  const http = httpServer(endpoint, onerror)
  await listen(http, host, port)
  http.on('error', onerror)
  const stopBeating = beat(endpoint, clock)
  let closing: Promise<void> | undefined
  return {
    url: addressOf(http.address() as AddressInfo),
    notifiers: endpoint.notifiers,
    close: () => {
      if (closing === undefined) stopBeating()
      closing ??= close(http, endpoint, clock)
      return closing
    },
  }
}

function httpServer(endpoint: HttpEndpoint, onerror: (error: Error) => void): HttpServer {
  const http = createHttpServer({
    // For receiving a request; the response is limited by the call's deadline.
    headersTimeout: 5_000,
    requestTimeout: 60_000,
    connectionsCheckingInterval: 2_000,
    // Longer than clients keep a connection, so that none is closed while it is being reused.
    keepAliveTimeout: 75_000,
    noDelay: true,
  })
  http.on('request', (request, response) => {
    endpoint.serve(request, response).catch((error: unknown) => {
      onerror(error instanceof Error ? error : new Error(messageOf(error)))
      if (response.headersSent) response.destroy()
      else sendRejection(response, { status: 500, code: -32603, message: 'Internal error.' })
    })
  })
  return http
}

async function listen(http: HttpServer, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error) => reject(new Error(cannotListen(error, host, port), { cause: error })))
    http.listen(port, host, resolve)
  })
}

function beat(endpoint: HttpEndpoint, clock: Clock): () => void {
  const next = () =>
    clock.setTimer(beatMs, () => {
      endpoint.beat()
      timer = next()
    })
  let timer = next()
  return () => clock.clearTimer(timer)
}

async function close(http: HttpServer, endpoint: HttpEndpoint, clock: Clock): Promise<void> {
  const closed = once(http.close(), 'close')
  await endpoint.close()
  // The connections of responses that have just ended become idle a moment later.
  clock.defer(() => http.closeIdleConnections())
  const force = clock.setTimer(closeMs, () => http.closeAllConnections())
  await closed
  clock.clearTimer(force)
}

function checkOptions({ token, host, limited = [] }: ServeHttpOptions): void {
  const tokens = [token, ...limited.map((access) => access.token)]
  if (tokens.includes(''))
    throw new TypeError('token: expected a string that is not empty, or null for none on a loopback host')
  if (token === null && !isLoopback(host)) {
    throw new TypeError(
      `token: required for the host ${host}; only a loopback host can be served without one`,
    )
  }
  if (new Set(tokens).size < tokens.length) throw new TypeError('token: two of the tokens are the same')
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE') {
    return `port ${port} of ${host} is in use; choose another one, or 0 for any free port`
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `${host} is not an address of this machine`
  return `cannot listen on ${host}, port ${port}: ${messageOf(error)}`
}

function addressOf({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}${endpointPath}`
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}${endpointPath}`
}
