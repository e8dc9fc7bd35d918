import { type JSONRPCMessage, type RequestId, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server'
import { listenedResources } from './listened-resources.ts'

/**
 * What the one client of a connection listens for. The SDK says yes or no to it, and tells only the client; so this looks
 * at what goes in and out.
 */
export class ListenTracker {
  readonly #listen: (uris: readonly string[]) => () => void
  /** By the id of the request; `null` while it has no answer. */
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
    // It may have been taken back before there was an answer.
    if (this.#open.has(id)) this.#open.set(id, this.#listen(listenedResources(params)))
  }

  #end(id: RequestId): void {
    this.#open.get(id)?.()
    this.#open.delete(id)
  }
}
