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

/** The 2026-07-28 protocol: every request stands alone, and a client that closes its connection cancels. */
export interface Modern {
  readonly notify: ServerNotifier
  serve(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void>
  /** Called now and then: answers that take long become streams, so that no client gives up waiting. */
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
  const waiting = new Set<Waiting>()

  async function serve(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const refusal = inputSchema === undefined ? null : checkCall(inputSchema, request, body)
    if (refusal !== null) return sendRejection(response, refusal)
    const left = new AbortController()
    response.once('close', () => {
      if (!response.writableFinished) left.abort(new Error('The client has closed the connection.'))
    })
    const wait = new Waiting(response, request.headers.accept?.includes('text/event-stream') === true)
    waiting.add(wait)
    try {
      const answer = await handler.fetch(webRequest(request, left.signal), { parsedBody: body })
      waiting.delete(wait)
      if (onListen !== undefined && isListening(body, answer)) {
        const release = onListen(listenedResources(body.params))
        if (response.closed) release()
        else response.once('close', release)
      }
      await forward(answer, response, wait.stream)
    } finally {
      waiting.delete(wait)
    }
  }

  return {
    notify: handler.notify,
    serve,
    beat: () => {
      for (const wait of waiting) wait.beat()
    },
    close: () => handler.close(),
  }
}

/** What cannot be listened for is answered, as all else is, with one message. */
function isListening(body: unknown, answer: Response): body is JSONRPCRequest {
  return isJSONRPCRequest(body) && body.method === 'subscriptions/listen' && isEventStream(answer)
}

/** Whether a tool's arguments and the headers that repeat them say the same. What is no call is none of our business. */
function checkCall(
  inputSchema: (tool: string) => unknown,
  { headers }: IncomingMessage,
  body: unknown,
): Rejection | null {
  if (!isJSONRPCRequest(body) || body.method !== 'tools/call') return null
  const { name, arguments: args } = body.params ?? {}
  // A name that the headers do not repeat is refused further on, for that reason.
  if (typeof name !== 'string' || headers['mcp-name'] === undefined) return null
  const refusal = checkParamHeaders(inputSchema(name), args, headers)
  return refusal === null ? null : { ...refusal, id: body.id }
}

/** A request without an answer so far. */
class Waiting {
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

/** The body was read already and goes beside it. What it was authorised with is nobody's business further in. */
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
    // The head may have been written while we waited.
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
