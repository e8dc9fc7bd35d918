import type { Redactor } from '@curfew/core/internal'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'

/** Redacts the secrets of the server in a message. The id and the code of an error must stay numbers, so they are kept. */
export function redactMessage(message: JSONRPCMessage, redactor: Redactor | undefined): JSONRPCMessage {
  if (redactor === undefined || !redactor.active) return message
  if ('result' in message) return { ...message, result: redactor.data(message.result) }
  if ('error' in message) {
    const { code, ...rest } = message.error
    return { ...message, error: { code, ...redactor.data(rest) } }
  }
  const { method, params } = message
  return { ...message, method: redactor.text(method), ...(params && { params: redactor.data(params) }) }
}
