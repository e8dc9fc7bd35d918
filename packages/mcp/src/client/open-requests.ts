import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client'

/** The requests whose answers a server still owes. */
export class OpenRequests {
  /** As texts: some servers give back a number as one, and the SDK takes it. */
  readonly #ids = new Set<string>()

  /** A request is owed an answer from here on; one that is cancelled is not any more. */
  onSend(message: JSONRPCMessage): void {
    if (!('method' in message)) return
    if ('id' in message) this.#ids.add(String(message.id))
    else if (message.method === 'notifications/cancelled') this.end(message.params?.requestId as RequestId)
  }

  /** True if somebody waits for this: it is the answer to a request, and the first one. */
  onMessage(message: JSONRPCMessage): boolean {
    return !('method' in message) && message.id !== undefined && this.end(message.id)
  }

  /** True if the answer was still owed. */
  end(id: RequestId): boolean {
    return this.#ids.delete(String(id))
  }

  clear(): void {
    this.#ids.clear()
  }
}
