import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createMcpHandler,
  isJSONRPCRequest,
  type JSONRPCRequest,
  type Server,
  type ServerNotifier,
} from '@modelcontextprotocol/server'
import { checkParamHeaders } from './check-param-headers.ts'
import { EventStream } from './event-stream.ts'
import { listenedResources } from './listened-resources.ts'
import { type Rejection, sendEmpty, sendJson, sendRejection } from './send-response.ts'

export interface ModernOptions {
  readonly createServer: () => Server
  readonly inputSchema: ((tool: string) => unknown) | undefined
  readonly onListen: ((uris: readonly string[]) => () => void) | undefined
  readonly keepAliveMs: number
  readonly onerror: (error: Error) => void
}

/** Serves the 2026-07-28 protocol: every request is independent, and closing the connection cancels it. */
export interface Modern {
  readonly notify: ServerNotifier
  serve(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void>
  /** Called periodically: slow responses become streams, so that clients do not time out. */
  beat(): void
  close(): Promise<void>
}

export function createModern(options: ModernOptions): Modern {
  const { createServer, inputSchema, onListen, keepAliveMs, onerror } = options
  const handler = createMcpHandler(
    () => {
      const server = createServer()
      server.onerror ??= onerror
      return server
    },
    { legacy: 'reject', keepAliveMs, onerror },
  )
  const pending = new Set<PendingResponse>()

  async function serve(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const rejection = inputSchema === undefined ? null : checkCall(inputSchema, request, body)
    if (rejection !== null) return sendRejection(response, rejection)
    const disconnect = new AbortController()
    response.once('close', () => {
      if (!response.writableFinished) disconnect.abort(new Error('the client closed the connection'))
    })
    const current = new PendingResponse(
      response,
      request.headers.accept?.includes('text/event-stream') === true,
    )
    pending.add(current)
    try {
      const answer = await handler.fetch(webRequest(request, disconnect.signal), { parsedBody: body })
      pending.delete(current)
      if (onListen !== undefined && isListening(body, answer)) {
        const release = onListen(listenedResources(body.params))
        if (response.closed) release()
        else response.once('close', release)
      }
      await forward(answer, response, current.stream)
    } finally {
      pending.delete(current)
    }
  }

  return {
    notify: handler.notify,
    serve,
    beat: () => {
      for (const response of pending) response.beat()
    },
    close: () => handler.close(),
  }
}

/** A rejected subscription gets a single response instead of a stream. */
function isListening(body: unknown, answer: Response): body is JSONRPCRequest {
  return isJSONRPCRequest(body) && body.method === 'subscriptions/listen' && isEventStream(answer)
}

/** Compares a tool's arguments with the headers that repeat them. */
function checkCall(
  inputSchema: (tool: string) => unknown,
  { headers }: IncomingMessage,
  body: unknown,
): Rejection | null {
  if (!isJSONRPCRequest(body) || body.method !== 'tools/call') return null
  const { name, arguments: args } = body.params ?? {}
  // Without the header, the SDK rejects the request.
  if (typeof name !== 'string' || headers['mcp-name'] === undefined) return null
  const rejection = checkParamHeaders(inputSchema(name), args, headers)
  return rejection === null ? null : { ...rejection, id: body.id }
}

/** A request without a response so far. */
class PendingResponse {
  stream: EventStream | undefined
  readonly #response: ServerResponse
  readonly #mayStream: boolean
  #beats = 0

  constructor(response: ServerResponse, mayStream: boolean) {
    this.#response = response
    this.#mayStream = mayStream
  }

  beat(): void {
    this.#beats += 1
    if (!this.#mayStream || this.#beats < 2) return
    this.stream ??= new EventStream(this.#response)
    this.stream.keepAlive()
  }
}

/** The body is passed separately, and the SDK does not get the authorization. */
function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (name === 'authorization' || value === undefined) continue
    headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return new Request('http://localhost/mcp', { method: 'POST', headers, signal })
}

async function forward(
  answer: Response,
  response: ServerResponse,
  stream: EventStream | undefined,
): Promise<void> {
  if (answer.body === null) {
    if (stream === undefined) sendEmpty(response, answer.status)
    else stream.end()
  } else if (isEventStream(answer)) {
    // `beat` may have written the head already.
    await pipe(answer.body, response, stream ?? new EventStream(response))
  } else {
    const json = await answer.text()
    if (stream !== undefined) stream.end(json)
    else sendJson(response, answer.status, json, answer.status === 405 ? ['Allow', 'POST'] : [])
  }
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true
}

async function pipe(
  body: ReadableStream<Uint8Array>,
  response: ServerResponse,
  stream: EventStream,
): Promise<void> {
  stream.open()
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done || stream.gone) break
    if (!response.write(value)) await drained(response)
  }
  if (stream.gone) await reader.cancel()
  else stream.end()
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}
