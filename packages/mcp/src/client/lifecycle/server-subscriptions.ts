import { type Clock, messageOf } from '@curfew/core/internal'
import type { Client, LoggingLevel, McpSubscription, RequestOptions } from '@modelcontextprotocol/client'
import { abortable } from '../../async/abortable.ts'

export interface ServerSubscriptionsOptions {
  readonly clock: Clock
  readonly log: (problem: string) => void
  /** For what is asked when nobody waits for it. */
  readonly timeoutMs: number
}

/** Being asked for. Whoever wants the same meanwhile waits for the same answer. */
interface Asking {
  readonly answer: Promise<void>
  readonly stop: AbortController
  waiting: number
}

/** A stream that a server ends sooner is not opened again, or it would go on like that for ever. */
const steadyMs = 5_000

/** What a server is to tell us of its own accord. It is told again after every start. */
export class ServerSubscriptions {
  readonly #options: ServerSubscriptionsOptions
  readonly #uris = new Set<string>()
  readonly #asking = new Map<string, Asking>()
  /** What this connection tells us of. Only since 2026 there is something to hold on to. */
  readonly #heard = new Map<string, McpSubscription | null>()
  #level: LoggingLevel | undefined

  constructor(options: ServerSubscriptionsOptions) {
    this.#options = options
  }

  /** Hear of changes of a resource. */
  async subscribe(client: Client, uri: string, { signal, timeout }: RequestOptions): Promise<void> {
    if (!this.#heard.has(uri)) {
      const asking = this.#asking.get(uri) ?? this.#ask(client, uri, timeout)
      asking.waiting++
      try {
        await (signal === undefined ? asking.answer : abortable(asking.answer, signal))
      } finally {
        asking.waiting--
        if (asking.waiting === 0 && this.#asking.get(uri) === asking) asking.stop.abort(signal?.reason)
      }
    }
    this.#uris.add(uri)
  }

  async unsubscribe(client: Client | null, uri: string, options: RequestOptions): Promise<void> {
    this.#uris.delete(uri)
    const subscription = this.#heard.get(uri)
    if (!this.#heard.delete(uri) || client === null) return
    if (subscription != null) await subscription.close()
    else if (canSubscribe(client)) await client.unsubscribeResource({ uri }, options)
  }

  /** A level cannot be taken back; without one the next start is as the server likes it. */
  async setLevel(
    client: Client | null,
    level: LoggingLevel | undefined,
    options: RequestOptions,
  ): Promise<void> {
    if (level === this.#level) return
    this.#level = level
    if (client !== null) await this.#tellLevel(client, options)
  }

  /** A new connection knows nothing of all that. What it refuses is reported, and the rest still asked for. */
  async repeat(client: Client): Promise<void> {
    this.#heard.clear()
    const options = { timeout: this.#options.timeoutMs }
    const level = this.#tellLevel(client, options).catch((error: unknown) =>
      this.#options.log(`the level of its log could not be set: ${messageOf(error)}`),
    )
    await Promise.all([level, ...[...this.#uris].map((uri) => this.#askAgain(client, uri))])
  }

  async #askAgain(client: Client, uri: string): Promise<void> {
    await this.subscribe(client, uri, { timeout: this.#options.timeoutMs }).catch((error: unknown) =>
      this.#options.log(`changes of ${uri} are no longer told: ${messageOf(error)}`),
    )
  }

  #ask(client: Client, uri: string, timeout: number | undefined): Asking {
    const stop = new AbortController()
    const options = { signal: stop.signal, ...(timeout === undefined ? {} : { timeout }) }
    const answer = this.#open(client, uri, options).finally(() => this.#asking.delete(uri))
    answer.catch(() => {})
    const asking = { answer, stop, waiting: 0 }
    this.#asking.set(uri, asking)
    return asking
  }

  async #open(client: Client, uri: string, options: RequestOptions): Promise<void> {
    if (client.getProtocolEra() !== 'modern') {
      if (canSubscribe(client)) await client.subscribeResource({ uri }, options)
      this.#heard.set(uri, null)
      return
    }
    const since = this.#options.clock.now()
    const subscription = await client.listen({ resourceSubscriptions: [uri] }, options)
    this.#heard.set(uri, subscription)
    void subscription.closed.then((how) => {
      if (this.#heard.get(uri) !== subscription) return
      this.#heard.delete(uri)
      // With its connection it is lost only until the next start.
      if (client.transport === undefined) return
      const isSteady = how === 'remote' && this.#options.clock.now() - since > steadyMs
      if (isSteady) return this.#askAgain(client, uri)
      this.#options.log(`changes of ${uri} are no longer told: the server ended it`)
    })
  }

  /** In 2026 every request says it for itself. */
  async #tellLevel(client: Client, options: RequestOptions): Promise<void> {
    if (this.#level === undefined || client.getProtocolEra() === 'modern') return
    if (client.getServerCapabilities()?.logging !== undefined)
      await client.setLoggingLevel(this.#level, options)
  }
}

function canSubscribe(client: Client): boolean {
  return client.getServerCapabilities()?.resources?.subscribe === true
}
