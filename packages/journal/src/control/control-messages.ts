import { describeValue, isJsonObject, messageOf, parseJson } from '@curfew/core/internal'

/**
 * The control socket speaks JSON, one object per line:
 *
 *     client  {"id":1,"method":"cancel","params":{"id":"m4tq-17"}}
 *     server  {"id":1,"result":{…}}   or   {"id":1,"error":{"code":"NOT_FOUND","message":"…"}}
 *
 *     client  {"id":2,"method":"watch"}
 *     server  {"id":2,"event":{…}}    any number of these, until one side closes the connection
 *
 * The client chooses the id: an integer that no other open request of the connection has. Requests of one connection run at the same
 * time, so responses may arrive in another order. A line that is not a request gets an error with the id `null`, or with its own id if
 * it has one. docs/journal.md describes the methods.
 */
export const protocolVersion = 1

/** The longest line that the server reads. */
export const maxRequestBytes: number = 64 << 10
/** The longest line that the server writes and the client reads. */
export const maxResponseBytes: number = 8 << 20

export type Fields = Readonly<Record<string, unknown>>

export interface ControlRequest {
  readonly id: number
  readonly method: string
  readonly params: Fields
}

/**
 * - `INVALID_REQUEST`: the line is not a request.
 * - `UNKNOWN_METHOD`, `INVALID_PARAMS`: the method does not exist, or not with these parameters.
 * - `NOT_FOUND`: there is no call with this id, or it has ended.
 * - `BUSY`: too many open requests on this connection.
 * - `TOO_LARGE`: the request or the response exceeds its limit.
 * - `FAILED`: the method failed.
 * - `DISCONNECTED`, `NO_RESPONSE`: only in the client.
 */
export type ControlErrorCode =
  | 'INVALID_REQUEST'
  | 'UNKNOWN_METHOD'
  | 'INVALID_PARAMS'
  | 'NOT_FOUND'
  | 'BUSY'
  | 'TOO_LARGE'
  | 'FAILED'
  | 'DISCONNECTED'
  | 'NO_RESPONSE'

/** A handler throws it to choose the code of its error; the client rejects with it. */
export class ControlError extends Error {
  readonly code: string

  constructor(code: ControlErrorCode, message: string) {
    super(message)
    this.name = 'ControlError'
    this.code = code
  }
}

/** What is wrong with a line, and the id that its sender waits for. */
export interface InvalidRequest {
  readonly id: number | null
  readonly error: ControlError
}

export function readRequest(line: string): ControlRequest | InvalidRequest {
  let fields: unknown
  try {
    fields = parseJson(line)
  } catch (error) {
    return invalid(null, `expected a JSON object: ${messageOf(error)}`)
  }
  if (!isJsonObject(fields)) return invalid(null, `expected a JSON object, got ${describeValue(fields)}`)
  const { id, method, params = {} } = fields
  if (!isRequestId(id)) return invalid(null, `id: expected an integer, got ${describeValue(id)}`)
  if (typeof method !== 'string')
    return invalid(id, `method: expected a string, got ${describeValue(method)}`)
  if (!isJsonObject(params)) return invalid(id, `params: expected an object, got ${describeValue(params)}`)
  return { id, method, params }
}

export type ControlResponse =
  | { readonly id: number | null; readonly error: Fields }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly event: unknown }

/** `null` if the line is not a response. */
export function readResponse(line: string): ControlResponse | null {
  let fields: unknown
  try {
    fields = parseJson(line)
  } catch {
    return null
  }
  if (!isJsonObject(fields)) return null
  const { id, error, result, event } = fields
  if (isJsonObject(error) && (id === null || isRequestId(id))) return { id, error }
  if (!isRequestId(id)) return null
  return event === undefined ? { id, result } : { id, event }
}

function isRequestId(id: unknown): id is number {
  return Number.isSafeInteger(id)
}

function invalid(id: number | null, message: string): InvalidRequest {
  return { id, error: new ControlError('INVALID_REQUEST', message) }
}
