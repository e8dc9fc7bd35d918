import { type JSONRPCMessage, type RequestId, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server'
import { listenedResources } from './listened-resources.ts'

/**
 * Tracks the `subscriptions/listen` requests of a client. The SDK handles them itself and exposes nothing, so this observes the
 * messages in both directions.
 */
export class ListenTracker {
  readonly #listen: (uris: readonly string[]) => () => void
  /** The unsubscribe functions by request id; `null` until the request is acknowledged. */
  readonly #open = new Map<RequestId, (() => void) | null>()

  constructor(listen: (uris: readonly string[]) => () => void) {
    this.#listen = listen
  }

  onReceived(message: JSONRPCMessage): void {
    if (!('method' in message)) return
    if (message.method === 'subscriptions/listen' && 'id' in message) {
      this.#end(message.id)
      this.#open.set(message.id, null)
    }
    if (message.method === 'notifications/cancelled') this.#end(message.params?.requestId as RequestId)
  }

  onSent(message: JSONRPCMessage): void {
    if ('error' in message) this.#end(message.id as RequestId)
    if (!('method' in message) || message.method !== 'notifications/subscriptions/acknowledged') return
    const { params } = message
    const id = params?._meta?.[SUBSCRIPTION_ID_META_KEY] as RequestId
    // It may have been cancelled before it was acknowledged.
    if (this.#open.has(id)) this.#open.set(id, this.#listen(listenedResources(params)))
  }

  #end(id: RequestId): void {
    this.#open.get(id)?.()
    this.#open.delete(id)
  }
}
