import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { anthropicFormat } from './anthropic-format.ts'
import { googleFormat } from './google-format.ts'
import { openaiFormat } from './openai-format.ts'
import type {
  ErrorKind,
  Finish,
  ReceivedRequest,
  WireFormat,
  WrittenCall,
  WrittenUsage,
} from './wire-format.ts'

/** What a server does with one request: an error, a stream of steps, or anything else with the connection. */
export type Reply = ErrorReply | readonly Step[] | RawReply

/** Writes the response to the connection itself, including its headers. */
export type RawReply = (socket: Socket) => void | Promise<void>

export interface ErrorReply {
  readonly error: ErrorKind
  /** Such as `{ 'retry-after': '2' }`. */
  readonly headers?: Readonly<Record<string, string>>
}

export type Step =
  | { readonly text: string }
  | { readonly reasoning: string; readonly signature?: string }
  | { readonly redacted: string }
  | { readonly call: WrittenCall }
  | { readonly ping: true }
  /** Real milliseconds. */
  | { readonly wait: number }
  /** Sends nothing more, and keeps the connection open. */
  | { readonly stall: true }
  /** Closes the connection in the middle of the response. */
  | { readonly drop: true }
  /** Ends the response regularly, without a finish. */
  | { readonly end: true }
  /** Sent as it is, such as a malformed chunk. */
  | { readonly raw: string }
  /** An error within the stream. */
  | { readonly streamError: ErrorKind }
  /** Repeats a text until the client leaves. */
  | { readonly endless: string }
  /** The content type of the response; must be the first step. */
  | { readonly contentType: string }
  /** Without it, the response ends with `stop` or `calls`. */
  | { readonly finish: Finish }
  | { readonly usage: WrittenUsage }

export const wireFormats = ['google', 'anthropic', 'openai'] as const

/** Any key is accepted; tests that look for it in output use this one. */
export const testKey = 'test-key-0123456789abcdef'

export interface ModelServerOptions {
  readonly format: (typeof wireFormats)[number]
  /** A reply for each request in order, or a function. After the last one, requests are rejected. */
  readonly script: readonly Reply[] | ((request: ReceivedRequest, index: number) => Reply | Promise<Reply>)
  /** Local servers usually need none. @default true */
  readonly requiresKey?: boolean
  /** Other programs use parts of the protocols that this server does not know. @default true */
  readonly validates?: boolean
}

/** A server may also speak the protocol of a provider that Curfew has no package for. */
type AnyFormatOptions = Omit<ModelServerOptions, 'format'> & {
  readonly format: ModelServerOptions['format'] | WireFormat
}

export interface RecordedRequest extends ReceivedRequest {
  /** Why the server rejected the request, as the real API would; `null` if it was valid. */
  readonly problem: string | null
  /** Whether the client closed the connection before the response was complete. */
  wasAborted: boolean
}

export interface ModelServer {
  /** The base URL for the provider's package. */
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  /** The number of responses that are being sent. */
  readonly openResponses: number
  close(): Promise<void>
}

export const formats: Readonly<Record<ModelServerOptions['format'], WireFormat>> = {
  google: googleFormat,
  anthropic: anthropicFormat,
  openai: openaiFormat,
}

/** A server on the loopback interface that speaks a provider's protocol, follows a script, and rejects what the real API would reject. */
export async function startModelServer({
  format: named,
  script,
  requiresKey = true,
  validates = true,
}: AnyFormatOptions): Promise<ModelServer> {
  const format = typeof named === 'string' ? formats[named] : named
  const requests: RecordedRequest[] = []
  const open = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    open.add(response)
    response.on('close', () => open.delete(response))
    respond(request, response).catch((error) => {
      response.destroy()
      process.stderr.write(`model server: ${String(error)}\n`)
    })
  })

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = await receive(incoming)
    const problem =
      (requiresKey ? format.checkKey(received) : null) ?? (validates ? format.validate(received) : null)
    const record: RecordedRequest = { ...received, problem: problem?.message ?? null, wasAborted: false }
    response.on('close', () => {
      record.wasAborted = !response.writableFinished
    })
    const index = requests.push(record) - 1
    if (problem !== null) {
      const { status = 400, message } = problem
      return sendError(response, format, { error: { status, message } })
    }
    const reply = typeof script === 'function' ? await script(received, index) : script[index]
    if (reply === undefined)
      return sendError(response, format, {
        error: { status: 400, message: `no reply for request ${index + 1}` },
      })
    if (typeof reply === 'function') return reply(incoming.socket)
    if (isErrorReply(reply)) return sendError(response, format, reply)
    await sendStream(response, format, reply)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${format.basePath}`,
    requests,
    get openResponses() {
      return open.size
    },
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

async function receive(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return { path: incoming.url ?? '', headers: incoming.headers, body: text === '' ? {} : JSON.parse(text) }
}

function isErrorReply(reply: ErrorReply | readonly Step[]): reply is ErrorReply {
  return !Array.isArray(reply)
}

function sendError(response: ServerResponse, format: WireFormat, { error, headers }: ErrorReply): void {
  const { status, headers: usual, body } = format.error(error)
  response.writeHead(status, { 'content-type': 'application/json', ...usual, ...headers })
  response.end(JSON.stringify(body))
}

const defaultUsage: WrittenUsage = { input: 10, output: 5 }

async function sendStream(
  response: ServerResponse,
  format: WireFormat,
  steps: readonly Step[],
): Promise<void> {
  const writer = format.createWriter()
  const [first] = steps
  const contentType = first !== undefined && 'contentType' in first ? first.contentType : 'text/event-stream'
  response.writeHead(200, { 'content-type': contentType })
  let usage = defaultUsage
  let hasCalls = false
  let hasStarted = false
  let hasFinished = false
  const send = (text: string): void => {
    // Not before the first content, so that a script can begin with a stall.
    response.write(hasStarted ? text : writer.start() + text)
    hasStarted = true
  }
  for (const step of steps) {
    if (response.destroyed) return
    if ('text' in step) send(writer.text(step.text))
    else if ('reasoning' in step) send(writer.reasoning(step.reasoning, step.signature))
    else if ('redacted' in step) send(writer.redacted(step.redacted))
    else if ('call' in step) {
      hasCalls = true
      send(writer.call(step.call))
    } else if ('ping' in step) send(writer.ping())
    else if ('wait' in step) await new Promise((resolve) => setTimeout(resolve, step.wait))
    else if ('raw' in step) response.write(step.raw)
    else if ('streamError' in step) {
      // As the first event if nothing was sent.
      response.write(writer.error(step.streamError))
      hasStarted = true
    } else if ('usage' in step) usage = step.usage
    else if ('finish' in step) {
      send(writer.finish(step.finish, usage))
      hasFinished = true
    } else if ('endless' in step) return sendEndless(response, () => send(writer.text(step.endless)))
    else if ('stall' in step) {
      response.flushHeaders()
      return
    } else if ('drop' in step) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      response.socket?.destroy()
      return
    } else if ('end' in step) {
      response.end()
      return
    }
  }
  if (!hasFinished) send(writer.finish(hasCalls ? 'calls' : 'stop', usage))
  response.end()
}

function sendEndless(response: ServerResponse, send: () => void): void {
  const timer = setInterval(send, 5)
  response.on('close', () => clearInterval(timer))
}
