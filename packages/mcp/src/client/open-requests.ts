import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client'

/** What JSON-RPC has for an answer that cannot be used. */
export const unusableAnswerCode = -32_099

export const forNobody = 'it answered a request that nobody made'

/** The requests whose answers a server still owes. */
export class OpenRequests {
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

  /** It answers what nobody asked. One that was given up may still be answered. */
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

/** The answer as it is; or one that says that it is none, so that nobody waits on. */
export function usableAnswer(message: JSONRPCMessage): JSONRPCMessage {
  if ('method' in message) return message
  const { result, error } = message as { readonly result?: unknown; readonly error?: unknown }
  if (typeof result === 'object' && result !== null) return message
  if (typeof error === 'object' && error !== null && 'code' in error) return message
  const text = 'it answered with something that is neither a result nor an error'
  return { jsonrpc: '2.0', id: message.id!, error: { code: unusableAnswerCode, message: text } }
}
