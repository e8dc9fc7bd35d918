import type { ServerResponse } from 'node:http'

/** A request that is not served: what HTTP says, and what JSON-RPC says in the body. */
export interface Rejection {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly data?: unknown
  /** The request this is the answer to, where it could be read. */
  readonly id?: string | number | null
  /** Names and values in turn. */
  readonly headers?: readonly string[]
}

export function sendRejection(response: ServerResponse, refusal: Rejection): void {
  const { status, code, message, data, id = null, headers } = refusal
  const error = data === undefined ? { code, message } : { code, message, data }
  sendJson(response, status, JSON.stringify({ jsonrpc: '2.0', error, id }), headers)
}

/** Head and body leave in one write: half of what an answer costs is the number of writes. */
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
