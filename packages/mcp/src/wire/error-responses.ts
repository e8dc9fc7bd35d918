import type { JSONRPCErrorResponse, RequestId } from '@modelcontextprotocol/client'
import type { InvalidMessage } from './read-message.ts'

/** A code from the range that JSON-RPC reserves for implementations. */
export const invalidResponseCode = -32_099

/** Replaces an invalid response, so that its request fails immediately instead of at the deadline. */
export function invalidResponseError(id: RequestId, problem: string): JSONRPCErrorResponse {
  return { jsonrpc: '2.0', id, error: { code: invalidResponseCode, message: `invalid response: ${problem}` } }
}

/** Answers an invalid request. JSON-RPC requires `null` for an unknown id, which MCP's types do not allow. */
export function invalidRequestError({ id, code, problem }: InvalidMessage): JSONRPCErrorResponse {
  const message = `${code === -32_700 ? 'Parse error' : 'Invalid request'}: ${problem}`
  return { jsonrpc: '2.0', id: id as RequestId, error: { code, message } }
}
