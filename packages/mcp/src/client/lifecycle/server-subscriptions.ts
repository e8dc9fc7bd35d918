import { abortable, type Clock, messageOf } from '@curfew/core/internal'
import type { Client, LoggingLevel, McpSubscription, RequestOptions } from '@modelcontextprotocol/client'

export interface ServerSubscriptionsOptions {
  readonly clock: Clock
  readonly log: (problem: string) => void
  /** For requests that no caller waits for. */
  readonly timeoutMs: number
}

/** A subscription request that has not been answered; concurrent callers share it. */
interface PendingSubscription {
  readonly response: Promise<void>
  readonly stop: AbortController
  callers: number
}

/** A stream that the server closes sooner than this is not reopened, to avoid an endless loop. */
const stableMs = 5_000

/** The resource subscriptions and the log level of one server. They are restored after every restart. */
export class ServerSubscriptions {
  readonly #options: ServerSubscriptionsOptions
  readonly #uris = new Set<string>()
  readonly #pending = new Map<string, PendingSubscription>()
  /** The subscriptions of the current connection. Only the 2026 protocol has an object for each. */
  readonly #active = new Map<string, McpSubscription | null>()
  #level: LoggingLevel | undefined

  constructor(options: ServerSubscriptionsOptions) {
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#uris.size === 0
  }

  async subscribe(client: Client, uri: string, { signal, timeout }: RequestOptions): Promise<void> {
    if (!this.#active.has(uri)) {
      const pending = this.#pending.get(uri) ?? this.#request(client, uri, timeout)
      pending.callers++
      try {
        await (signal === undefined ? pending.response : abortable(pending.response, signal))
      } finally {
        pending.callers--
        if (pending.callers === 0 && this.#pending.get(uri) === pending) pending.stop.abort(signal?.reason)
      }
    }
    this.#uris.add(uri)
  }

  async unsubscribe(client: Client | null, uri: string, options: RequestOptions): Promise<void> {
    this.#uris.delete(uri)
    const subscription = this.#active.get(uri)
    if (!this.#active.delete(uri) || client === null) return
    if (subscription != null) await subscription.close()
    else if (canSubscribe(client)) await client.unsubscribeResource({ uri }, options)
  }

  /** A level cannot be unset on a running server; `undefined` takes effect at the next start. */
  async setLevel(
    client: Client | null,
    level: LoggingLevel | undefined,
    options: RequestOptions,
  ): Promise<void> {
    if (level === this.#level) return
    this.#level = level
    if (client !== null) await this.#sendLevel(client, options)
  }

  /** For a new connection. Each failure is logged and does not affect the others. */
  async restore(client: Client): Promise<void> {
    this.#active.clear()
    const options = { timeout: this.#options.timeoutMs }
    const level = this.#sendLevel(client, options).catch((error: unknown) =>
      this.#options.log(`its log level could not be set: ${messageOf(error)}`),
    )
    await Promise.all([level, ...[...this.#uris].map((uri) => this.#resubscribe(client, uri))])
  }

  async #resubscribe(client: Client, uri: string): Promise<void> {
    await this.subscribe(client, uri, { timeout: this.#options.timeoutMs }).catch((error: unknown) =>
      this.#options.log(`changes of ${uri} are no longer reported: ${messageOf(error)}`),
    )
  }

  #request(client: Client, uri: string, timeout: number | undefined): PendingSubscription {
    const stop = new AbortController()
    const options = { signal: stop.signal, ...(timeout === undefined ? {} : { timeout }) }
    const response = this.#open(client, uri, options).finally(() => this.#pending.delete(uri))
    response.catch(() => {})
    const pending = { response, stop, callers: 0 }
    this.#pending.set(uri, pending)
    return pending
  }

  async #open(client: Client, uri: string, options: RequestOptions): Promise<void> {
    if (client.getProtocolEra() !== 'modern') {
      if (canSubscribe(client)) await client.subscribeResource({ uri }, options)
      this.#active.set(uri, null)
      return
    }
    const since = this.#options.clock.now()
    const subscription = await client.listen({ resourceSubscriptions: [uri] }, options)
    this.#active.set(uri, subscription)
    void subscription.closed.then((how) => {
      if (this.#active.get(uri) !== subscription) return
      this.#active.delete(uri)
      // If the connection is lost, `restore` runs after the next start.
      if (client.transport === undefined) return
      const isStable = how === 'remote' && this.#options.clock.now() - since > stableMs
      if (isStable) return this.#resubscribe(client, uri)
      this.#options.log(`changes of ${uri} are no longer reported: the server ended the subscription`)
    })
  }

  /** In the 2026 protocol, every request contains the level instead. */
  async #sendLevel(client: Client, options: RequestOptions): Promise<void> {
    if (this.#level === undefined || client.getProtocolEra() === 'modern') return
    if (client.getServerCapabilities()?.logging !== undefined)
      await client.setLoggingLevel(this.#level, options)
  }
}

function canSubscribe(client: Client): boolean {
  return client.getServerCapabilities()?.resources?.subscribe === true
}
