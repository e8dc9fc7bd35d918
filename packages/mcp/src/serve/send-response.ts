import type { ServerResponse } from 'node:http'

/** The response to a request that is rejected: the HTTP status, and the JSON-RPC error in the body. */
export interface Rejection {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly data?: unknown
  /** The id of the request, if it could be read. */
  readonly id?: string | number | null
  /** Names and values, alternating. */
  readonly headers?: readonly string[]
}

export function sendRejection(response: ServerResponse, rejection: Rejection): void {
  const { status, code, message, data, id = null, headers } = rejection
  const error = data === undefined ? { code, message } : { code, message, data }
  sendJson(response, status, JSON.stringify({ jsonrpc: '2.0', error, id }), headers)
}

/** Head and body leave in one write: the number of writes is half the cost of a response. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: string,
  headers: readonly string[] = [],
): void {
  if (response.destroyed) return
  const length = String(Buffer.byteLength(body))
  response.writeHead(status, ['Content-Type', 'application/json', 'Content-Length', length, ...headers])
  response.end(body)
}

export function sendEmpty(response: ServerResponse, status: number, headers: readonly string[] = []): void {
  if (response.destroyed) return
  response.writeHead(status, ['Content-Length', '0', ...headers])
  response.end()
}
