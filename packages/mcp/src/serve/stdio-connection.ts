import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Gateway } from '../gateway/gateway.ts'
import type { ClientPipe } from './client-pipe.ts'
import { ListenTracker } from './listen-tracker.ts'
import type { OpeningExchange } from './opening-exchange.ts'

/**
 * Serves a client with the SDK after its opening exchange. The SDK gets the same messages again, so that it knows the client, and its
 * responses to them are dropped. Later messages wait for that.
 */
export class StdioConnection {
  readonly #pipe: ClientPipe
  readonly #transport: Transport
  readonly #tracker: ListenTracker
  readonly #opening: OpeningExchange
  #waiting: JSONRPCMessage[] | null

  constructor(gateway: Gateway, pipe: ClientPipe, opening: OpeningExchange, onerror: (error: Error) => void) {
    this.#pipe = pipe
    this.#opening = opening
    this.#tracker = new ListenTracker((uris) => gateway.listen(uris))
    this.#transport = {
      start: async () => {},
      send: async (message) => await this.#send(message),
      close: async () => await pipe.close(),
    }
    serveStdio(({ era }) => gateway.createServer(era), { transport: this.#transport, onerror })
    const [initialize] = opening.answered
    this.#waiting = initialize === undefined ? null : []
    if (initialize !== undefined) this.#transport.onmessage?.(initialize)
  }

  receive(message: JSONRPCMessage): void {
    if (this.#waiting !== null) {
      this.#waiting.push(message)
      return
    }
    this.#tracker.onReceived(message)
    this.#transport.onmessage?.(message)
  }

  onerror(error: Error): void {
    this.#transport.onerror?.(error)
  }

  onclose(): void {
    this.#transport.onclose?.()
  }

  async #send(message: JSONRPCMessage): Promise<void> {
    if (this.#waiting === null) {
      this.#tracker.onSent(message)
      await this.#pipe.send(message)
    } else if (!('method' in message)) await this.#begin(this.#waiting)
  }

  /** The SDK has answered `initialize`. */
  async #begin(waiting: readonly JSONRPCMessage[]): Promise<void> {
    this.#waiting = null
    const [, ...answered] = this.#opening.answered
    for (const message of [...answered, ...waiting]) this.receive(message)
    if (this.#opening.isOutdated)
      await this.#pipe.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
  }
}
