import type { ServerResponse } from 'node:http'
import type { Clock } from '@curfew/core/internal'
import type {
  JSONRPCMessage,
  MessageExtraInfo,
  RequestId,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/server'
import { EventStream } from './event-stream.ts'
import { PostResponse } from './post-response.ts'
import { sendEmpty, sendRejection } from './send-response.ts'

/** What a client that has not opened its stream may find when it does. */
const maxQueuedMessages = 100
const maxQueuedCharacters = 1024 * 1024

export interface SessionTransportOptions {
  readonly sessionId: string
  readonly clock: Clock
  readonly onerror: (error: Error) => void
}

/**
 * One session of a 2025-era client, as the SDK's `Server` sees it: many HTTP requests, one conversation. Straight on
 * node:http, as turning every request into a web `Request` and its answer into a stream costs more than all the rest.
 */
export class SessionTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void
  readonly sessionId: string
  /** The protocol version that was agreed on. Undefined until then. */
  protocolVersion: string | undefined
  supportedVersions: readonly string[] = []
  readonly #clock: Clock
  readonly #report: (error: Error) => void
  readonly #exchanges = new Map<RequestId, PostResponse>()
  #initializeId: RequestId | undefined
  #standalone: EventStream | undefined
  #held: string[] = []
  #heldCharacters = 0
  #closed = false
  #lastUsed: number

  constructor({ sessionId, clock, onerror }: SessionTransportOptions) {
    this.sessionId = sessionId
    this.#clock = clock
    this.#report = onerror
    this.#lastUsed = clock.now()
  }

  async start(): Promise<void> {}

  setProtocolVersion(version: string): void {
    this.protocolVersion = version
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.supportedVersions = versions
  }

  /** Whether the client can be told something now. */
  get isListening(): boolean {
    return this.#exchanges.size > 0 || this.#streamIsOpen()
  }

  /** How long nothing has happened in this session; 0 while something is open. */
  idleMs(): number {
    if (this.isListening) return 0
    return this.#clock.now() - this.#lastUsed
  }

  /** A POST: hands its messages to the server, which answers the requests among them when it likes. */
  receive(response: ServerResponse, messages: readonly JSONRPCMessage[], batch: boolean): void {
    this.#lastUsed = this.#clock.now()
    const requests = messages.filter(isRequest)
    const twice = requests.find(({ id }) => this.#exchanges.has(id))
    if (twice !== undefined || new Set(requests.map(({ id }) => id)).size < requests.length) {
      sendRejection(response, {
        status: 400,
        code: -32600,
        message: 'A request with this id is still being served in this session. Use every id once.',
        id: batch ? null : (twice?.id ?? null),
      })
      return
    }
    if (requests.length > 0) {
      const exchange = new PostResponse(response, requests.length, batch)
      for (const request of requests) {
        this.#exchanges.set(request.id, exchange)
        if (request.method === 'initialize') this.#initializeId = request.id
      }
    }
    for (const message of messages) {
      this.onmessage?.(message)
      const cancelled = cancelledId(message)
      if (cancelled !== undefined) this.#afterCancel(cancelled)
    }
    if (requests.length === 0) sendEmpty(response, 202)
  }

  /** A GET: the stream for what belongs to no request. False if there is one already. */
  openStream(response: ServerResponse): boolean {
    if (this.#streamIsOpen()) return false
    this.#lastUsed = this.#clock.now()
    const stream = new EventStream(response)
    this.#standalone = stream
    stream.open()
    for (const json of this.#held) stream.send(json)
    this.#held = []
    this.#heldCharacters = 0
    response.once('close', () => {
      this.#lastUsed = this.#clock.now()
    })
    return true
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!('method' in message)) {
      this.#answer(message)
      return
    }
    const related = options?.relatedRequestId
    const exchange = related === undefined ? undefined : this.#exchanges.get(related)
    if (related === undefined) {
      this.#sendStandalone(message)
    } else if (exchange !== undefined && !exchange.gone) {
      // What asks for an answer must arrive; a client that does not read misses the rest.
      if (isRequest(message) || !exchange.congested) exchange.send(JSON.stringify(message))
    } else if (isRequest(message)) {
      throw new Error(`The client cannot be asked ${message.method}: it has left request ${String(related)}.`)
    } else {
      this.#report(
        new Error(`A ${message.method} for request ${String(related)} came too late and was dropped.`),
      )
    }
  }

  /** Keeps quiet streams open. */
  beat(): void {
    if (this.#streamIsOpen()) this.#standalone?.keepAlive()
    for (const exchange of new Set(this.#exchanges.values())) exchange.beat()
  }

  /** Ends all streams; requests that have no answer yet get one that says why. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    const open = [...this.#exchanges]
    this.#exchanges.clear()
    for (const [id, exchange] of open) {
      const error = { code: -32000, message: 'The session has ended before the request was answered.' }
      exchange.answer(JSON.stringify({ jsonrpc: '2.0', id, error }))
    }
    this.#standalone?.end()
    this.onclose?.()
  }

  #answer(message: Answer): void {
    const { id } = message
    const exchange = id === undefined ? undefined : this.#exchanges.get(id)
    if (id === undefined || exchange === undefined) {
      if (!this.#closed)
        this.#report(new Error(`An answer to request ${String(id)}, which is not open, was dropped.`))
      return
    }
    this.#lastUsed = this.#clock.now()
    this.#exchanges.delete(id)
    const begins = id === this.#initializeId && 'result' in message && !exchange.gone
    if (begins) exchange.headers = ['Mcp-Session-Id', this.sessionId]
    if (exchange.gone)
      this.#report(new Error(`The client has left request ${String(id)}; its answer was dropped.`))
    else exchange.answer(JSON.stringify(message))
    if (id !== this.#initializeId) return
    this.#initializeId = undefined
    // Nobody knows of a session that did not begin.
    if (!begins) void this.close()
  }

  #sendStandalone(message: JSONRPCMessage): void {
    const json = JSON.stringify(message)
    if (this.#standalone !== undefined && this.#streamIsOpen()) {
      if (isRequest(message) || !this.#standalone.congested) this.#standalone.send(json)
      return
    }
    this.#held.push(json)
    this.#heldCharacters += json.length
    while (this.#held.length > maxQueuedMessages || this.#heldCharacters > maxQueuedCharacters) {
      this.#heldCharacters -= this.#held.shift()?.length ?? 0
    }
  }

  #streamIsOpen(): boolean {
    return this.#standalone !== undefined && !this.#standalone.gone
  }

  /**
   * The server answers a cancelled request no more, so its exchange has to be ended here; but not before the server has
   * had its turn with the notice, as an answer may be on its way.
   */
  #afterCancel(id: RequestId): void {
    if (!this.#exchanges.has(id)) return
    this.#clock.defer(() => {
      const exchange = this.#exchanges.get(id)
      this.#exchanges.delete(id)
      exchange?.forgo()
    })
  }
}

type Answer = Exclude<JSONRPCMessage, { method: string }>
type Request = Extract<JSONRPCMessage, { method: string; id: RequestId }>

function isRequest(message: JSONRPCMessage): message is Request {
  return 'method' in message && 'id' in message
}

function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return
  const { requestId, reason } = message.params ?? {}
  if (reason !== undefined && typeof reason !== 'string') return
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : undefined
}
