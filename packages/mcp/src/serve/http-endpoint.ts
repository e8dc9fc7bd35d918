import type { IncomingMessage, ServerResponse } from 'node:http'
import { systemClock } from '@curfew/core/internal'
import type { ServerNotifier } from '@modelcontextprotocol/server'
import { createHostGuard, createTokenCheck, type Guard, type TokenCheck } from './guard.ts'
import { HttpClients } from './http-clients.ts'
import { type Rejection, sendJson, sendRejection } from './send-response.ts'
import type { ServeHttpOptions } from './serve-http.ts'

export const endpointPath = '/mcp'
const healthPath = '/health'
/** The interval of `beat`. */
export const beatMs = 15_000

/** Checks every HTTP request, and passes it on to the clients that have its token. */
export class HttpEndpoint {
  readonly #checkHost: Guard
  readonly #checkToken: TokenCheck
  /** In the order of the tokens. */
  readonly #clients: readonly HttpClients[]
  #closing = false

  constructor(options: ServeHttpOptions) {
    const { host, limited = [], onerror, clock = systemClock } = options
    const accesses = [options, ...limited]
    this.#checkHost = createHostGuard(host)
    this.#checkToken = createTokenCheck(accesses.map(({ token }) => token))
    this.#clients = accesses.map((access) => new HttpClients(access, { keepAliveMs: beatMs, onerror, clock }))
  }

  /** For the clients with the first token, then for those with each of the others. */
  get notifiers(): readonly ServerNotifier[] {
    return this.#clients.map(({ notify }) => notify)
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const rejection = this.#checkHost(request)
    if (rejection !== null) return sendRejection(response, rejection)
    if (pathOf(request) === healthPath) return this.#serveHealth(request, response)
    if (pathOf(request) !== endpointPath) return sendRejection(response, notFound)
    const index = this.#checkToken(request)
    if (typeof index !== 'number') return sendRejection(response, index)
    if (this.#closing)
      return sendRejection(response, { status: 503, code: -32000, message: 'The server is closing.' })
    await this.#clients[index]!.serve(request, response)
  }

  /** Needs no token, so it reveals nothing but whether the gateway accepts requests. */
  #serveHealth({ method }: IncomingMessage, response: ServerResponse): void {
    if (method !== 'GET' && method !== 'HEAD') return sendRejection(response, healthOnlyGet)
    const status = this.#closing ? 'closing' : 'ok'
    // Node does not send the body of a response to HEAD.
    sendJson(response, this.#closing ? 503 : 200, JSON.stringify({ status }), ['Cache-Control', 'no-store'])
  }

  /** Called periodically: keeps quiet streams open and ends unused sessions. */
  beat(): void {
    for (const clients of this.#clients) clients.beat()
  }

  /** Ends all sessions and requests; new ones are rejected. */
  async close(): Promise<void> {
    this.#closing = true
    await Promise.all(this.#clients.map((clients) => clients.close()))
  }
}

const notFound: Rejection = {
  status: 404,
  code: -32000,
  message: `Not found. The endpoint is ${endpointPath}.`,
}

const healthOnlyGet: Rejection = {
  status: 405,
  code: -32000,
  message: 'Method not allowed.',
  headers: ['Allow', 'GET, HEAD'],
}

/** Without the query and a trailing slash. */
function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  return path === `${endpointPath}/` ? endpointPath : path
}
