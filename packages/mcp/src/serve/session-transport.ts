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

/** Limits for messages that are queued until the client opens its stream. */
const maxQueuedMessages = 100
const maxQueuedCharacters = 1024 * 1024

export interface SessionTransportOptions {
  readonly sessionId: string
  readonly clock: Clock
  readonly onerror: (error: Error) => void
}

/**
 * The SDK transport for one session of a 2025 client, which consists of many HTTP requests. It uses node:http directly, because
 * converting every request to a web `Request` and its response to a stream costs more than everything else.
 */
export class SessionTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void
  /** Called when a client that had opened its stream has closed it and waits for nothing, and when it is back. */
  onpresence?: (isPresent: boolean) => void
  readonly sessionId: string
  /** The negotiated protocol version; `undefined` until then. */
  protocolVersion: string | undefined
  supportedVersions: readonly string[] = []
  readonly #clock: Clock
  readonly #report: (error: Error) => void
  readonly #responses = new Map<RequestId, PostResponse>()
  #initializeId: RequestId | undefined
  #standalone: EventStream | undefined
  #queue: string[] = []
  #queuedCharacters = 0
  #closed = false
  #isPresent = true
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

  /** Whether the client can receive messages now. */
  get isListening(): boolean {
    return this.#responses.size > 0 || this.#streamIsOpen()
  }

  /** How long the session has been idle; 0 while a request or stream is open. */
  idleMs(): number {
    if (this.isListening) return 0
    return this.#clock.now() - this.#lastUsed
  }

  /** A POST: passes its messages to the server, which responds to the requests later. */
  receive(response: ServerResponse, messages: readonly JSONRPCMessage[], batch: boolean): void {
    this.#lastUsed = this.#clock.now()
    const requests = messages.filter(isRequest)
    const duplicate = requests.find(({ id }) => this.#responses.has(id))
    if (duplicate !== undefined || new Set(requests.map(({ id }) => id)).size < requests.length) {
      sendRejection(response, {
        status: 400,
        code: -32600,
        message: 'A request with this id is still open in this session. Use every id only once.',
        id: batch ? null : (duplicate?.id ?? null),
      })
      return
    }
    if (requests.length > 0) {
      const pending = new PostResponse(response, requests.length, batch)
      for (const request of requests) {
        this.#responses.set(request.id, pending)
        if (request.method === 'initialize') this.#initializeId = request.id
      }
      response.once('close', () => this.#onResponseClosed(pending))
      this.#checkPresence()
    }
    for (const message of messages) {
      this.onmessage?.(message)
      const cancelled = cancelledId(message)
      if (cancelled !== undefined) this.#afterCancel(cancelled)
    }
    if (requests.length === 0) sendEmpty(response, 202)
  }

  /** A GET: opens the stream for messages outside of a request. Returns false if there is one already. */
  openStream(response: ServerResponse): boolean {
    if (this.#streamIsOpen()) return false
    this.#lastUsed = this.#clock.now()
    const stream = new EventStream(response)
    this.#standalone = stream
    stream.open()
    for (const json of this.#queue) stream.send(json)
    this.#queue = []
    this.#queuedCharacters = 0
    response.once('close', () => {
      this.#lastUsed = this.#clock.now()
      this.#checkPresence()
    })
    this.#checkPresence()
    return true
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!('method' in message)) {
      this.#respond(message)
      return
    }
    const related = options?.relatedRequestId
    const pending = related === undefined ? undefined : this.#responses.get(related)
    if (related === undefined) {
      this.#sendStandalone(message)
    } else if (pending !== undefined && !pending.gone) {
      // Requests must arrive; notifications to a client that does not read are dropped.
      if (isRequest(message) || !pending.congested) pending.send(JSON.stringify(message))
    } else if (isRequest(message)) {
      throw new Error(
        `${message.method} cannot be sent: the client has disconnected from request ${String(related)}`,
      )
    } else {
      this.#report(
        new Error(
          `${message.method} for request ${String(related)} was dropped: the request is no longer open`,
        ),
      )
    }
  }

  /** Called periodically: keeps quiet streams open. */
  beat(): void {
    if (this.#streamIsOpen()) this.#standalone?.keepAlive()
    for (const pending of new Set(this.#responses.values())) pending.beat()
  }

  /** Ends all streams; open requests get an error response. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    const open = [...this.#responses]
    this.#responses.clear()
    for (const [id, pending] of open) {
      const error = { code: -32000, message: 'The session ended before the request was answered.' }
      pending.respond(JSON.stringify({ jsonrpc: '2.0', id, error }))
    }
    this.#standalone?.end()
    this.onclose?.()
  }

  #respond(message: Response): void {
    const { id } = message
    const pending = id === undefined ? undefined : this.#responses.get(id)
    if (id === undefined || pending === undefined) {
      if (!this.#closed)
        this.#report(new Error(`the response to request ${String(id)} was dropped: the request is not open`))
      return
    }
    this.#lastUsed = this.#clock.now()
    this.#responses.delete(id)
    const isInitialized = id === this.#initializeId && 'result' in message && !pending.gone
    if (isInitialized) pending.headers = ['Mcp-Session-Id', this.sessionId]
    if (pending.gone)
      this.#report(
        new Error(`the response to request ${String(id)} was dropped: the client has disconnected`),
      )
    else pending.respond(JSON.stringify(message))
    if (id !== this.#initializeId) return
    this.#initializeId = undefined
    // The client does not know the id of a session that was not initialized.
    if (!isInitialized) void this.close()
  }

  #sendStandalone(message: JSONRPCMessage): void {
    const json = JSON.stringify(message)
    if (this.#standalone !== undefined && this.#streamIsOpen()) {
      if (isRequest(message) || !this.#standalone.congested) this.#standalone.send(json)
      return
    }
    this.#queue.push(json)
    this.#queuedCharacters += json.length
    while (this.#queue.length > maxQueuedMessages || this.#queuedCharacters > maxQueuedCharacters) {
      this.#queuedCharacters -= this.#queue.shift()?.length ?? 0
    }
  }

  #streamIsOpen(): boolean {
    return this.#standalone !== undefined && !this.#standalone.gone
  }

  /** A client without a stream may be there all the time: only one that has closed its stream is gone. */
  #checkPresence(): void {
    const isPresent = this.#standalone === undefined || this.isListening
    if (this.#closed || isPresent === this.#isPresent) return
    this.#isPresent = isPresent
    this.onpresence?.(isPresent)
  }

  /** The client can no longer get the results, because streams are not resumable; so nothing should go on working on them. */
  #onResponseClosed(pending: PostResponse): void {
    if (this.#closed) return
    this.#checkPresence()
    for (const [id, response] of this.#responses) {
      if (response !== pending || id === this.#initializeId) continue
      const params = { requestId: id, reason: 'the client has disconnected' }
      this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
      this.#afterCancel(id)
    }
  }

  /**
   * The server does not answer a cancelled request, so its response is ended here; deferred, because the server handles the
   * cancellation first and may be about to respond.
   */
  #afterCancel(id: RequestId): void {
    if (!this.#responses.has(id)) return
    this.#clock.defer(() => {
      const pending = this.#responses.get(id)
      this.#responses.delete(id)
      pending?.skip()
      this.#checkPresence()
    })
  }
}

type Response = Exclude<JSONRPCMessage, { method: string }>
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
