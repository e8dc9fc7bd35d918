import { abortable } from '@curfew/core/internal'
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Upstream } from '../client/upstream.ts'

/** For all clients with the same scope: each costs a request after every restart of a server. */
const maxResources = 1_000

interface Subscription {
  upstream: Subscribable
  readonly subscribers: Set<object>
  /** Requests about one resource are sent one after the other. */
  last: Promise<void>
}

type Subscribable = Pick<Upstream, 'subscribe' | 'unsubscribe'>

/** The resource subscriptions of all clients with the same scope. The last one to unsubscribe ends the subscription at the server. */
export class ClientSubscriptions {
  readonly #ownerOf: (uri: string, signal: AbortSignal) => Promise<Subscribable>
  /** Whether clients with another scope have subscribed to the same resource of the same server. */
  readonly #isUsedElsewhere: (upstream: Subscribable, uri: string) => boolean
  readonly #subscriptions = new Map<string, Subscription>()

  constructor(
    ownerOf: (uri: string, signal: AbortSignal) => Promise<Subscribable>,
    isUsedElsewhere: (upstream: Subscribable, uri: string) => boolean = () => false,
  ) {
    this.#ownerOf = ownerOf
    this.#isUsedElsewhere = isUsedElsewhere
  }

  uses(upstream: Subscribable, uri: string): boolean {
    const subscription = this.#subscriptions.get(uri)
    return subscription?.upstream === upstream && subscription.subscribers.size > 0
  }

  async add(uri: string, subscriber: object, signal: AbortSignal): Promise<void> {
    const upstream = this.#subscriptions.get(uri)?.upstream ?? (await this.#ownerOf(uri, signal))
    signal.throwIfAborted()
    const subscription = this.#subscriptions.get(uri) ?? this.#begin(uri, upstream)
    const isNew = !subscription.subscribers.has(subscriber)
    subscription.subscribers.add(subscriber)
    try {
      await inTurn(subscription, () => subscription.upstream.subscribe(uri, signal), signal)
    } catch (error) {
      if (isNew) void this.remove(uri, subscriber)
      throw error
    }
  }

  async remove(uri: string, subscriber: object): Promise<void> {
    const subscription = this.#subscriptions.get(uri)
    if (!subscription?.subscribers.delete(subscriber) || subscription.subscribers.size > 0) return
    await inTurn(subscription, async () => {
      const { upstream, subscribers } = subscription
      if (subscribers.size === 0 && !this.#isUsedElsewhere(upstream, uri)) await upstream.unsubscribe(uri)
      // Another client may have subscribed meanwhile and be next in turn.
      if (subscription.subscribers.size === 0) this.#subscriptions.delete(uri)
    })
  }

  /** Subscribes without waiting; failures are passed to `onFailed`. Returns an unsubscribe function. */
  listen(uris: readonly string[], onFailed: (uri: string, error: unknown) => void): () => void {
    const stop = new AbortController()
    for (const uri of uris) {
      this.add(uri, stop, stop.signal).catch((error: unknown) => {
        if (!stop.signal.aborted) onFailed(uri, error)
      })
    }
    return () => {
      stop.abort()
      this.removeAll(stop)
    }
  }

  /** Moves the subscriptions at a server that was removed to the current owners of the resources. Failures are passed to `onFailed`. */
  move(from: Subscribable, signal: AbortSignal, onFailed: (uri: string, error: unknown) => void): void {
    for (const [uri, subscription] of this.#subscriptions) {
      if (subscription.upstream !== from) continue
      const send = async (): Promise<void> => {
        subscription.upstream = await this.#ownerOf(uri, signal)
        if (subscription.subscribers.size > 0) await subscription.upstream.subscribe(uri, signal)
      }
      inTurn(subscription, send, signal).catch((error: unknown) => {
        // A later subscription looks for its owner again.
        if (this.#subscriptions.get(uri) === subscription) this.#subscriptions.delete(uri)
        if (!signal.aborted) onFailed(uri, error)
      })
    }
  }

  removeAll(subscriber: object): void {
    for (const uri of this.#subscriptions.keys()) void this.remove(uri, subscriber)
  }

  has(uri: string, subscriber: object): boolean {
    return this.#subscriptions.get(uri)?.subscribers.has(subscriber) === true
  }

  #begin(uri: string, upstream: Subscribable): Subscription {
    if (this.#subscriptions.size >= maxResources) {
      const message = `at most ${maxResources} resources can be subscribed to`
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, message)
    }
    const subscription = { upstream, subscribers: new Set<object>(), last: Promise.resolve() }
    this.#subscriptions.set(uri, subscription)
    return subscription
  }
}

async function inTurn(
  subscription: Subscription,
  send: () => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const turn = subscription.last.then(() => {
    signal?.throwIfAborted()
    return send()
  })
  subscription.last = turn.catch(() => {})
  await (signal === undefined ? turn : abortable(turn, signal))
}
