import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client'

/** For the log. Without an id it is about a request that the server could not read. */
export function forNobody(response: JSONRPCMessage): string {
  if (!('error' in response) || response.id !== undefined) return 'it answered a request that nobody made'
  return `it reported an error without naming a request: ${response.error.message}`
}

/** The requests whose answers a server still owes. */
export class PendingRequests {
  /** As texts: some servers give back a number as one, and the SDK takes it. */
  readonly #ids = new Set<string>()
  /** Of all that were made: they are counted up. */
  #lastId = -1

  /** A request is owed an answer from here on; one that is cancelled is not any more. */
  onSend(message: JSONRPCMessage): void {
    if (!('method' in message)) return
    if ('id' in message) {
      this.#ids.add(String(message.id))
      this.#lastId = Math.max(this.#lastId, Number(message.id) || 0)
    } else if (message.method === 'notifications/cancelled') this.end(message.params?.requestId as RequestId)
  }

  /** True if somebody waits for this: it is the answer to a request, and the first one. */
  onMessage(message: JSONRPCMessage): boolean {
    return !('method' in message) && message.id !== undefined && this.end(message.id)
  }

  /** It answers a request that was never made. A cancelled request may still be answered. */
  isForNobody(message: JSONRPCMessage): boolean {
    if ('method' in message) return false
    const id = Number(message.id ?? Number.NaN)
    return !(Number.isInteger(id) && id >= 0 && id <= this.#lastId)
  }

  /** True if the answer was still owed. */
  end(id: RequestId): boolean {
    return this.#ids.delete(String(id))
  }

  clear(): void {
    this.#ids.clear()
  }
}
