import { maxJsonDepth, parseJson } from '@curfew/core/internal'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { invalidRequestError, invalidResponseError } from '../wire/error-responses.ts'
import { checkMessage, type InvalidMessage, readMessage } from '../wire/read-message.ts'
import type { Rejection } from './send-response.ts'

const maxBatch = 100

type Messages = JSONRPCMessage | JSONRPCMessage[]

/**
 * Reads the body of a POST: a message or a batch. An invalid response is replaced by an error, so that its request fails immediately;
 * any other invalid body is rejected.
 */
export function readPostBody(body: string): { readonly messages: Messages } | Rejection {
  if (!/^\s*\[/.test(body)) {
    const read = readMessage(body)
    if ('message' in read) return { messages: read.message }
    return read.kind === 'response' && read.id !== null
      ? { messages: invalidResponseError(read.id, read.problem) }
      : rejection(read)
  }
  let values: unknown
  try {
    values = parseJson(body)
  } catch {
    const problem = `expected JSON of at most ${maxJsonDepth} levels`
    return rejection({ kind: 'none', id: null, code: -32_700, problem })
  }
  const batch = values as readonly unknown[]
  if (batch.length > maxBatch)
    return invalid(`expected at most ${maxBatch} messages in a batch, got ${batch.length}`)
  const messages: JSONRPCMessage[] = []
  for (const value of batch) {
    const read = checkMessage(value)
    if ('problem' in read) return invalid(`in the batch: ${read.problem}`)
    messages.push(read.message)
  }
  return { messages }
}

function invalid(problem: string): Rejection {
  return rejection({ kind: 'none', id: null, code: -32_600, problem })
}

function rejection(invalid: InvalidMessage): Rejection {
  return { status: 400, ...invalidRequestError(invalid).error, id: invalid.id }
}
