import type { IncomingHttpHeaders } from 'node:http'
import { readTraceContext, type TraceContext } from '@curfew/core/internal'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'

type Messages = JSONRPCMessage | JSONRPCMessage[]

/** Requests without a trace context of their own belong to that of the HTTP request. */
export function withTraceContext(messages: Messages, headers: IncomingHttpHeaders): Messages {
  const context = readTraceContext(headers)
  if (context === null) return messages
  return Array.isArray(messages)
    ? messages.map((message) => addContext(message, context))
    : addContext(messages, context)
}

function addContext(message: JSONRPCMessage, context: TraceContext): JSONRPCMessage {
  if (!('method' in message && 'id' in message) || message.params === undefined) return message
  const { _meta = {} } = message.params
  if (typeof _meta !== 'object' || _meta === null || readTraceContext(_meta) !== null) return message
  const { traceparent, tracestate, ...meta } = _meta as Record<string, unknown>
  return { ...message, params: { ...message.params, _meta: { ...meta, ...context } } }
}
