import type { JSONRPCErrorResponse, RequestId } from '@modelcontextprotocol/client'
import type { InvalidMessage } from './read-message.ts'

/** A code that JSON-RPC leaves to implementations: the response that came cannot be used. */
export const invalidResponseCode = -32_099

/** Stands in for a response that cannot be used, so that whoever waits for it does not wait until the deadline. */
export function invalidResponseError(id: RequestId, problem: string): JSONRPCErrorResponse {
  const message = `it sent an invalid response: ${problem}`
  return { jsonrpc: '2.0', id, error: { code: invalidResponseCode, message } }
}

/** Answers an invalid request. JSON-RPC wants `null` where the id cannot be told; MCP's types do not know it. */
export function refusalOf({ id, code, problem }: InvalidMessage): JSONRPCErrorResponse {
  const message = `${code === -32_700 ? 'Parse error' : 'Invalid request'}: ${problem}`
  return { jsonrpc: '2.0', id: id as RequestId, error: { code, message } }
}
