import { parseJson } from '@curfew/core/internal'
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/client'
import { asId, kindOf, outlineOf } from './message-outline.ts'

/** A larger message is not read, whichever side sends it. */
export const maxMessageBytes: number = 10 << 20

/** JSON-RPC's own codes. */
const parseErrorCode = -32_700
const invalidRequestCode = -32_600

/** A message that must not be used, and what its sender or whoever waits for it needs to know. */
export interface InvalidMessage {
  /** What it seems to be. `none` bears no resemblance to a message, such as a line of a log. */
  readonly kind: 'request' | 'notification' | 'response' | 'none'
  /** `null` if it cannot be told. */
  readonly id: RequestId | null
  readonly code: number
  /** What was expected and what was received. Never quotes the message: it may contain a secret. */
  readonly problem: string
}

export type ReadMessage = { readonly message: JSONRPCMessage } | InvalidMessage

/**
 * The one place that decides what a JSON-RPC message is: every message of a server or a client passes through here
 * before anything else looks at it. What comes out has the right types, is at most `maxJsonDepth` levels deep, and has no
 * other members than those of JSON-RPC. The caller bounds the length.
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

/** The same for a value that is already parsed, by `parseJson`. */
export function checkMessage(value: unknown): ReadMessage {
  if (!isRecord(value)) return invalid('none', null, 'expected an object')
  const { jsonrpc, id, method, result, error } = value
  const kind = kindOf({
    isVersion2: jsonrpc === '2.0',
    hasMethod: typeof method === 'string',
    hasId: id !== undefined,
    isAnswer: result !== undefined || error !== undefined,
  })
  const knownId = asId(id)
  const problem = (text: string): InvalidMessage => invalid(kind, knownId, text)
  if (jsonrpc !== '2.0') return problem('expected "jsonrpc": "2.0"')
  if (kind === 'none') return problem('expected a method, a result or an error')
  return kind === 'response' ? checkResponse(value, knownId, problem) : checkCall(value, knownId, problem)
}

/** A message over the limit, of which only the two ends were kept. */
export function oversizedMessage(bytes: number, head: string, tail: string): InvalidMessage {
  const { kind, id } = outlineOf(withoutMark(head), tail)
  return invalid(kind, id, `it has ${bytes} bytes; at most ${maxMessageBytes} are read`)
}

type Problem = (text: string) => InvalidMessage

/** A request or a notification. Some senders write `null` for parameters that they do not have. */
function checkCall(fields: Fields, id: RequestId | null, problem: Problem): ReadMessage {
  const { method, params } = fields
  if (fields.id !== undefined && id === null) return problem(idProblem)
  if (fields.result !== undefined || fields.error !== undefined)
    return problem('expected either a method or a result, got both')
  if (params != null && !isRecord(params)) return problem('expected "params" to be an object')
  const message = {
    jsonrpc: '2.0',
    ...(id !== null && { id }),
    method,
    ...(params != null && { params }),
  }
  if (isJSONRPCRequest(message) || isJSONRPCNotification(message)) return { message }
  return problem(
    'expected "params._meta" to be an object whose "progressToken" is a string or a whole number',
  )
}

/** Some senders write both members, and `null` for the one that they do not mean. */
function checkResponse(fields: Fields, id: RequestId | null, problem: Problem): ReadMessage {
  const { result, error } = fields
  const isError = error != null
  if (isError === (result != null)) return problem('expected either a result (an object) or an error')
  // A server that could not read a request does not know its id.
  if (id === null && !(isError && fields.id == null)) return problem(idProblem)
  if (!isError) {
    const message = { jsonrpc: '2.0', id, result }
    if (isJSONRPCResultResponse(message)) return { message }
    return problem('expected "result" to be an object, and its "_meta" as well')
  }
  const { code, message: text, data } = Object(error) as Fields
  const message = {
    jsonrpc: '2.0',
    ...(id !== null && { id }),
    error: { code, message: text, ...(data !== undefined && { data }) },
  }
  if (isJSONRPCErrorResponse(message)) return { message }
  return problem('expected "error" to have a whole number as "code" and a string as "message"')
}

type Fields = Readonly<Record<string, unknown>>

const idProblem = 'expected "id" to be a string or a whole number'

function invalid(kind: InvalidMessage['kind'], id: RequestId | null, problem: string): InvalidMessage {
  return { kind, id, code: invalidRequestCode, problem }
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Some programs begin their output with a byte order mark. */
function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
