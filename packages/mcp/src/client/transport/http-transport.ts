import { type Clock, type Redactor, systemClock } from '@curfew/core/internal'
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
import { abortable } from '../../async/abortable.ts'
import { withTimer } from '../../async/with-timer.ts'
import { refusalOf } from '../../wire/error-responses.ts'
import type { InvalidMessage } from '../../wire/read-message.ts'
import { checkedHeaders } from '../http/checked-headers.ts'
import { displayUrl, findHttpError, lostResponseCode } from '../http/http-error.ts'
import { networkFetch } from '../http/network-fetch.ts'
import type { OAuthSession } from '../oauth/oauth-session.ts'
import { authorizedFetch } from './authorized-fetch.ts'
import { FloodGauge, floodReason } from './flood-gauge.ts'
import { messageFetch } from './message-fetch.ts'
import { forNobody, PendingRequests } from './pending-requests.ts'
import { redactMessage } from './redact-message.ts'

export interface HttpTransportOptions {
  /** `http` is Streamable HTTP, or the older transport where the server knows only that; `sse` is the older one at once. */
  readonly kind: 'http' | 'sse'
  readonly url: string
  /** The URL for messages, without the values of secrets. */
  readonly shownUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** Signs in where the server asks for it. */
  readonly auth?: OAuthSession | undefined
  /** Takes secrets out of what the server says. */
  readonly redactor?: Redactor | undefined
  readonly clock?: Clock | undefined
}

type Inner = StreamableHTTPClientTransport | SSEClientTransport

/** A stream that breaks is taken up again; a server that is gone is left to whoever opened the connection. */
const reconnectionOptions = {
  initialReconnectionDelay: 500,
  reconnectionDelayGrowFactor: 2,
  maxReconnectionDelay: 10_000,
  maxRetries: 4,
}
/** A server is told that a call is cancelled or a session over, but not waited for longer than this. */
const closeTimeoutMs = 1_000

/** The SDK's transports, with what they lack: the older one as a fallback, bounds, and an end for every request. */
export class HttpTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #options: HttpTransportOptions
  readonly #requests = new PendingRequests()
  /** Ends what a server still sends for a request; by its id as a text, as in `PendingRequests`. */
  readonly #streams = new Map<string, AbortController>()
  readonly #clock: Clock
  readonly #unasked: FloodGauge
  readonly #closing = new AbortController()
  /** Cancellations that are on their way. */
  readonly #cancelling = new Set<Promise<void>>()
  #inner: Inner
  #protocolVersion: string | undefined
  #isOpen = false
  #isClosed = false
  #failure: unknown
  #why: string | null = null

  constructor(options: HttpTransportOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#unasked = new FloodGauge(this.#clock)
    this.#inner = this.#open(options.kind)
  }

  /** Why we ended it; `null` if we did not. */
  get ending(): string | null {
    return this.#why
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
    // The older transport waits for an event that may never come.
    this.#isOpen = false
    try {
      await abortable(this.#inner.start(), this.#closing.signal)
      this.#isOpen = true
    } catch (error) {
      // An event stream that cannot be opened hides why.
      throw SseError.isInstance(error) ? (this.#failure ?? error) : error
    }
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    this.#requests.onSend(message)
    if (!isJSONRPCRequest(message)) return await this.#notify(message, options)
    const { id } = message
    const stream = new AbortController()
    this.#streams.set(String(id), stream)
    const signals = [stream.signal, ...(options.requestSignal === undefined ? [] : [options.requestSignal])]
    const requestSignal = signals.length === 1 ? stream.signal : AbortSignal.any(signals)
    options.requestSignal?.addEventListener('abort', () => this.#requests.end(id), { once: true })
    const onRequestStreamEnd = (): void => this.#onStreamEnd(id, options.onRequestStreamEnd)
    try {
      await this.#forward(message, { ...options, requestSignal, onRequestStreamEnd })
    } catch (error) {
      if (!this.#mayFallBack(message.method, error)) {
        this.#requests.end(id)
        this.#streams.delete(String(id))
        throw error
      }
      await this.#fallBack(error)
      await this.#inner.send(message)
    }
  }

  /** Who is told that an answer is not wanted any more need not keep the way open for it. */
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
    // Otherwise the server would go on with what nobody waits for.
    await this.#waitBriefly(Promise.allSettled(this.#cancelling))
    await this.#endSession()
    await this.#inner.close()
  }

  async #waitBriefly(farewell: Promise<unknown>): Promise<void> {
    await withTimer(this.#clock, closeTimeoutMs, async (over) => void (await Promise.race([farewell, over])))
  }

  async #forward(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    try {
      if (this.#inner instanceof SSEClientTransport) await this.#inner.send(message)
      else await this.#inner.send(message, innerOptions(options))
    } catch (error) {
      // The SDK goes by the answers to the first requests.
      if ('method' in message && ['server/discover', 'initialize'].includes(message.method)) throw error
      throw findHttpError(error, this.#options.shownUrl) ?? error
    }
  }

  #open(kind: 'http' | 'sse'): Inner {
    const { url, shownUrl, headers, auth } = this.#options
    const checked = messageFetch(networkFetch, (invalid) => this.#onInvalid(invalid))
    const request = auth === undefined ? checked : authorizedFetch(checked, auth)
    const fetch: FetchLike = async (target, init) => {
      try {
        return await request(target, init)
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
    const isOwed = this.#requests.onMessage(message)
    if (!isOwed && this.#unasked.push()) return this.#giveUp(floodReason)
    if (isOwed && 'id' in message) this.#streams.delete(String(message.id))
    if (isOwed || 'method' in message) this.onmessage?.(redactMessage(message, this.#options.redactor))
    // A response that nobody waits for goes no further.
    else if (this.#requests.isForNobody(message)) this.#report(forNobody(message))
  }

  #onInvalid(invalid: InvalidMessage): void {
    if (this.#isClosed) return
    if (this.#unasked.push()) return this.#giveUp(floodReason)
    const { kind, problem } = invalid
    this.#report(
      `it sent ${kind === 'none' ? 'something that is not a message' : `an invalid ${kind}`}: ${problem}`,
    )
    if (kind === 'request') this.#forward(refusalOf(invalid), {}).catch(() => {})
  }

  #report(problem: string): void {
    this.onerror?.(new Error(this.#options.redactor?.text(problem) ?? problem))
  }

  #giveUp(why: string): void {
    this.#why = why
    void this.close()
  }

  /** The specification's way to find out that a server has only the older transport. */
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

  /** The SDK leaves a request whose stream has ended to its timeout, unless it asked to be told, as for a subscription. */
  #onStreamEnd(id: RequestId, tell: (() => void) | undefined): void {
    const isOwed = this.#requests.end(id)
    this.#streams.delete(String(id))
    if (tell !== undefined) return tell()
    if (!isOwed) return
    const message = `${displayUrl(this.#options.shownUrl)}: the connection ended before the answer came`
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: lostResponseCode, message } })
  }

  #onError(error: Error): void {
    // What a request meets is told to whoever sent it.
    const isTold = SdkHttpError.isInstance(error) && error.code === SdkErrorCode.ClientHttpNotImplemented
    if (!isTold) this.onerror?.(findHttpError(error, this.#options.shownUrl) ?? error)
    // A new stream of the older transport would be a new session, of which the client knows nothing.
    if (this.#isOpen && SseError.isInstance(error)) void this.close()
  }

  async #endSession(): Promise<void> {
    if (!('terminateSession' in this.#inner) || this.#inner.sessionId === undefined) return
    await this.#waitBriefly(this.#inner.terminateSession().catch(() => {}))
  }

  #onClose(): void {
    this.#isClosed = true
    this.#requests.clear()
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

/** The SDK's transport tells what is not there from what is `undefined`. */
function innerOptions(options: TransportSendOptions): InnerOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

type InnerOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>
