import type { Redactor } from '@curfew/core/internal'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'

/** Redacts the server's secrets in a message, except in the id and the error code, which must keep their types. */
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
