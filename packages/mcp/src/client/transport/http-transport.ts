import { abortable, type Clock, type Redactor, systemClock, withTimer } from '@curfew/core/internal'
import { networkFetch } from '@curfew/extensions/internal'
import {
  type FetchLike,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client'
import { checkedHeaders } from '../http/checked-headers.ts'
import { displayUrl, findHttpError, lostResponseCode } from '../http/http-error.ts'
import { redactSent } from '../http/redact-sent.ts'
import { rejectedStream } from '../http/rejected-stream.ts'
import type { OAuthSession } from '../oauth/oauth-session.ts'
import { authorizedFetch } from './authorized-fetch.ts'
import type { ConnectionEnding } from './connection-ending.ts'
import { messageFetch } from './message-fetch.ts'
import { MessageIntake } from './message-intake.ts'
import { originOfMessage, withOrigin } from './message-origin.ts'

export interface HttpTransportOptions {
  /** `http` is Streamable HTTP, with a fallback to the older SSE transport; `sse` uses the older one directly. */
  readonly kind: 'http' | 'sse'
  readonly url: string
  /** The URL for error messages, with the names of secrets instead of their values. */
  readonly shownUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** Signs in if the server requires it. */
  readonly auth?: OAuthSession | undefined
  /** Redacts secrets in everything that the server sends. */
  readonly redactor?: Redactor | undefined
  readonly clock?: Clock | undefined
}

type Inner = StreamableHTTPClientTransport | SSEClientTransport

/** For a stream that breaks. The connection's owner handles a server that is gone. */
const reconnectionOptions = {
  initialReconnectionDelay: 500,
  reconnectionDelayGrowFactor: 2,
  maxReconnectionDelay: 10_000,
  maxRetries: 4,
}
/** How long closing waits for pending cancellations and for the end of the session. */
const closeTimeoutMs = 1_000

/** The SDK's HTTP transports, plus a fallback to the older one, size limits, and a failure for every request that gets no response. */
export class HttpTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #options: HttpTransportOptions
  readonly #intake: MessageIntake
  /** Aborts the response stream of a request, by its id as a string, as in `MessageIntake`. */
  readonly #streams = new Map<string, AbortController>()
  readonly #clock: Clock
  readonly #closing = new AbortController()
  /** Cancellations that are being sent. */
  readonly #cancelling = new Set<Promise<void>>()
  #inner: Inner
  /** Created on first use, because most connections have no errors. */
  #redactSent: ((text: string) => string) | undefined
  #protocolVersion: string | undefined
  #isOpen = false
  #isClosed = false
  #failure: unknown
  #stopReason: string | null = null

  constructor(options: HttpTransportOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#intake = new MessageIntake({
      clock: this.#clock,
      redactor: options.redactor,
      deliver: (message) => this.onmessage?.(message),
      reply: (message) => void this.#forward(message, {}).catch(() => {}),
      onProblem: (error) => this.onerror?.(error),
      onFlood: (reason) => {
        this.#stopReason = reason
        void this.close()
      },
    })
    this.#inner = this.#open(options.kind)
  }

  /** Redacts secrets, and everything else that was sent. */
  readonly redact = (text: string): string => {
    const { redactor, headers, url } = this.#options
    this.#redactSent ??= redactSent(headers, url)
    return this.#redactSent(redactor?.text(text) ?? text)
  }

  /** `null` unless the connection was closed because of what the server sent. */
  get ending(): ConnectionEnding | null {
    return this.#stopReason === null ? null : { reason: this.#stopReason, output: null }
  }

  get sessionId(): string | undefined {
    return 'sessionId' in this.#inner ? this.#inner.sessionId : undefined
  }

  get hasPerRequestStream(): boolean {
    return 'hasPerRequestStream' in this.#inner
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version
    this.#inner.setProtocolVersion(version)
  }

  async start(): Promise<void> {
    // The older transport waits for an event that may never arrive.
    this.#isOpen = false
    try {
      const started = withOrigin(null, () => this.#inner.start())
      await abortable(started, this.#closing.signal)
      this.#isOpen = true
    } catch (error) {
      // `SseError` lacks the cause.
      throw SseError.isInstance(error) ? (this.#failure ?? error) : error
    }
  }

  watchProgress(...args: Parameters<MessageIntake['watchProgress']>): string {
    return this.#intake.watchProgress(...args)
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    this.#intake.onSend(message)
    if (!isJSONRPCRequest(message)) return await this.#notify(message, options)
    const { id } = message
    const stream = new AbortController()
    this.#streams.set(String(id), stream)
    const signals = [stream.signal, ...(options.requestSignal === undefined ? [] : [options.requestSignal])]
    const requestSignal = signals.length === 1 ? stream.signal : AbortSignal.any(signals)
    options.requestSignal?.addEventListener('abort', () => this.#intake.settle(id), { once: true })
    const onRequestStreamEnd = (): void => this.#onStreamEnd(id, options.onRequestStreamEnd)
    try {
      await this.#forward(message, { ...options, requestSignal, onRequestStreamEnd })
    } catch (error) {
      if (!this.#mayFallBack(message.method, error)) {
        this.#intake.settle(id)
        this.#streams.delete(String(id))
        throw error
      }
      await this.#fallBack(error)
      await this.#inner.send(message)
    }
  }

  /** Once a server knows that a request is cancelled, its response stream can be closed. */
  async #notify(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    const sent = this.#forward(message, options)
    if (!('method' in message) || message.method !== 'notifications/cancelled') return await sent
    this.#cancelling.add(sent)
    try {
      await sent
    } finally {
      this.#cancelling.delete(sent)
      const id = String(message.params?.requestId)
      this.#streams.get(id)?.abort()
      this.#streams.delete(id)
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#closing.abort(new Error('the connection was closed'))
    // Otherwise the server would continue with cancelled requests.
    await this.#waitBriefly(Promise.allSettled(this.#cancelling))
    await this.#endSession()
    await this.#inner.close()
  }

  async #waitBriefly(work: Promise<unknown>): Promise<void> {
    await withTimer(
      this.#clock,
      closeTimeoutMs,
      async (elapsed) => void (await Promise.race([work, elapsed])),
    )
  }

  async #forward(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    // The stream of the response is read in the same context. A notification may open a stream for everything else.
    const callId = isJSONRPCRequest(message) ? options.relatedRequestId : undefined
    try {
      await withOrigin(callId === undefined ? null : String(callId), () => this.#sendInner(message, options))
    } catch (error) {
      // The SDK negotiates by the errors of the first requests.
      if ('method' in message && ['server/discover', 'initialize'].includes(message.method)) throw error
      throw findHttpError(error, this.#options.shownUrl, this.redact) ?? error
    }
  }

  async #sendInner(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    if (this.#inner instanceof SSEClientTransport) await this.#inner.send(message)
    else await this.#inner.send(message, innerOptions(options))
  }

  #open(kind: 'http' | 'sse'): Inner {
    const { url, shownUrl, headers, auth } = this.#options
    const checked = messageFetch(networkFetch, this.#clock, (invalid) => {
      if (!this.#isClosed) this.#intake.receiveInvalid(invalid)
    })
    const request = auth === undefined ? checked : authorizedFetch(checked, auth)
    const fetch: FetchLike = async (target, init) => {
      try {
        const response = await request(target, init)
        if (kind === 'sse' && !response.ok && init?.method !== 'POST')
          this.#failure = await rejectedStream(response)
        return response
      } catch (error) {
        this.#failure = error
        throw error
      }
    }
    const requestInit = { headers: checkedHeaders(headers, shownUrl) }
    const inner =
      kind === 'http'
        ? new StreamableHTTPClientTransport(new URL(url), { fetch, requestInit, reconnectionOptions })
        : new SSEClientTransport(new URL(url), { fetch, requestInit })
    inner.onmessage = (message) => this.#onMessage(message)
    inner.onerror = (error) => this.#onError(error)
    inner.onclose = () => this.#onClose()
    return inner
  }

  #onMessage(message: JSONRPCMessage): void {
    if (this.#isClosed) return
    if (!('method' in message)) this.#streams.delete(String(message.id))
    this.#intake.receive(message, originOfMessage())
  }

  /** How the specification detects a server that supports only the older transport. */
  #mayFallBack(method: string, error: unknown): boolean {
    const isFirst = method === 'initialize' && this.#inner instanceof StreamableHTTPClientTransport
    return isFirst && SdkHttpError.isInstance(error) && [400, 404, 405].includes(error.data.status)
  }

  async #fallBack(cause: unknown): Promise<void> {
    const older = this.#open('sse')
    await detach(this.#inner)
    this.#inner = older
    if (this.#protocolVersion !== undefined) older.setProtocolVersion(this.#protocolVersion)
    try {
      await this.start()
    } catch {
      throw cause
    }
  }

  /** The SDK lets a request whose stream has ended run into its timeout, unless it passed a callback, as for a subscription. */
  #onStreamEnd(id: RequestId, callback: (() => void) | undefined): void {
    const isPending = this.#intake.settle(id)
    this.#streams.delete(String(id))
    if (callback !== undefined) return callback()
    if (!isPending) return
    const message = `${displayUrl(this.#options.shownUrl)}: the connection ended before the response`
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: lostResponseCode, message } })
  }

  #onError(error: Error): void {
    // The error also rejects the request itself.
    const isReported = SdkHttpError.isInstance(error) && error.code === SdkErrorCode.ClientHttpNotImplemented
    if (!isReported) this.onerror?.(findHttpError(error, this.#options.shownUrl, this.redact) ?? error)
    // A new stream of the older transport would be a new session, which the client was not initialized for.
    if (this.#isOpen && SseError.isInstance(error)) void this.close()
  }

  async #endSession(): Promise<void> {
    if (!('terminateSession' in this.#inner) || this.#inner.sessionId === undefined) return
    await this.#waitBriefly(this.#inner.terminateSession().catch(() => {}))
  }

  #onClose(): void {
    this.#isClosed = true
    this.#intake.clear()
    this.#streams.clear()
    this.onclose?.()
  }
}

async function detach(inner: Inner): Promise<void> {
  delete inner.onmessage
  delete inner.onerror
  delete inner.onclose
  await inner.close()
}

/** The SDK's transport distinguishes missing options from `undefined`. */
function innerOptions(options: TransportSendOptions): InnerOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

type InnerOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>
