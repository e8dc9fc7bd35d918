import { isJsonObject, parseJson } from '@curfew/core/internal'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client'
import { asId, kindOf, outlineOf } from './message-outline.ts'
import { relatedTaskKey } from './meta-keys.ts'

/** For messages of servers and clients. */
export const maxMessageBytes: number = 10 << 20

/** JSON-RPC's own codes. */
const parseErrorCode = -32_700
const invalidRequestCode = -32_600

/** A message that must not be used, with the details for an error to its sender or to the pending request. */
export interface InvalidMessage {
  /** Its likely kind; `none` if it does not resemble a message, such as a log line. */
  readonly kind: 'request' | 'notification' | 'response' | 'none'
  /** `null` if it is unknown. */
  readonly id: RequestId | null
  readonly code: number
  /** What was expected and what was received. Never quotes the message: it may contain a secret. */
  readonly problem: string
}

export type ReadMessage = { readonly message: JSONRPCMessage } | InvalidMessage

/**
 * The one place that validates JSON-RPC messages, from servers and from clients. A valid message has the right types, at most
 * `maxJsonDepth` levels, and no members other than those of JSON-RPC. The caller limits the length. The checks are those of the SDK,
 * which takes much longer for them and would have to be loaded first.
 */
export function readMessage(json: string): ReadMessage {
  const text = withoutMark(json)
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    const { kind, id, problem } = outlineOf(text)
    return { kind, id, code: parseErrorCode, problem }
  }
  return checkMessage(value)
}

/** The same for a value that was parsed by `parseJson`. */
export function checkMessage(value: unknown): ReadMessage {
  if (!isJsonObject(value)) return invalid('none', null, 'expected an object')
  const { jsonrpc, id, method, result, error } = value
  const kind = kindOf({
    isVersion2: jsonrpc === '2.0',
    hasMethod: typeof method === 'string',
    hasId: id !== undefined,
    isResponse: result !== undefined || error !== undefined,
  })
  const knownId = asId(id)
  const problem = (text: string): InvalidMessage => invalid(kind, knownId, text)
  if (jsonrpc !== '2.0') return problem('expected "jsonrpc": "2.0"')
  if (kind === 'none') return problem('expected a method, a result or an error')
  return kind === 'response' ? checkResponse(value, knownId, problem) : checkCall(value, knownId, problem)
}

/** Describes a message over the limit, of which only the two ends were kept. */
export function oversizedMessage(bytes: number, head: string, tail: string): InvalidMessage {
  const { kind, id } = outlineOf(withoutMark(head), tail)
  return invalid(kind, id, `expected at most ${maxMessageBytes} bytes, got ${bytes}`)
}

type Problem = (text: string) => InvalidMessage

/** A request or a notification. Some senders write `null` for missing parameters. */
function checkCall(fields: Fields, id: RequestId | null, problem: Problem): ReadMessage {
  const { method, params } = fields
  if (fields.id !== undefined && id === null) return problem(idProblem)
  if (fields.result !== undefined || fields.error !== undefined)
    return problem('expected either a method or a result, got both')
  if (params != null && !isJsonObject(params)) return problem('expected "params" to be an object')
  const message = {
    jsonrpc: '2.0',
    ...(id !== null && { id }),
    method,
    ...(params != null && { params }),
  }
  if (isRequestMeta(params?._meta)) return { message: message as JSONRPCMessage }
  return problem(
    'expected "params._meta" to be an object whose "progressToken" is a string or a whole number',
  )
}

/** Some senders write both members, with `null` for the unused one. */
function checkResponse(fields: Fields, id: RequestId | null, problem: Problem): ReadMessage {
  const { result, error } = fields
  const isError = error != null
  if (isError === (result != null)) return problem('expected either a result (an object) or an error')
  // A server that could not read a request does not know its id.
  if (id === null && !(isError && fields.id == null)) return problem(idProblem)
  if (!isError) {
    if (isJsonObject(result) && (result._meta === undefined || isJsonObject(result._meta)))
      return { message: { jsonrpc: '2.0', id, result } as JSONRPCMessage }
    return problem('expected "result" to be an object, and its "_meta" as well')
  }
  const { code, message: text, data } = Object(error) as Fields
  if (Number.isSafeInteger(code) && typeof text === 'string') {
    const content = { code, message: text, ...(data !== undefined && { data }) }
    return { message: { jsonrpc: '2.0', ...(id !== null && { id }), error: content } as JSONRPCMessage }
  }
  return problem('expected "error" to have a whole number as "code" and a string as "message"')
}

/** Of a request or a notification. */
function isRequestMeta(meta: unknown): boolean {
  if (meta === undefined) return true
  if (!isJsonObject(meta)) return false
  const { progressToken: token, [relatedTaskKey]: task } = meta
  const isToken = token === undefined || typeof token === 'string' || Number.isSafeInteger(token)
  return isToken && (task === undefined || (isJsonObject(task) && typeof task.taskId === 'string'))
}

type Fields = Readonly<Record<string, unknown>>

const idProblem = 'expected "id" to be a string or a whole number'

function invalid(kind: InvalidMessage['kind'], id: RequestId | null, problem: string): InvalidMessage {
  return { kind, id, code: invalidRequestCode, problem }
}

/** Some programs start their output with a byte order mark. */
function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
