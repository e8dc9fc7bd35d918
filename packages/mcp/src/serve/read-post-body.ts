import { maxJsonDepth, parseJson } from '@curfew/core/internal'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { invalidRequestError, invalidResponseError } from '../wire/error-responses.ts'
import { checkMessage, type InvalidMessage, readMessage } from '../wire/read-message.ts'
import type { Rejection } from './send-response.ts'

/** Of a batch. */
const maxBatch = 100

type Messages = JSONRPCMessage | JSONRPCMessage[]

/**
 * The body of a POST: one message, or a batch of them. A response that cannot be used becomes an error, so that the
 * request it answers does not wait any longer; anything else that is not a message is rejected as a whole.
 */
export function readPostBody(body: string): { readonly messages: Messages } | Rejection {
  if (!/^\s*\[/.test(body)) {
    const read = readMessage(body)
    if ('message' in read) return { messages: read.message }
    return read.kind === 'response' && read.id !== null
      ? { messages: invalidResponseError(read.id, read.problem) }
      : refusal(read)
  }
  let values: unknown
  try {
    values = parseJson(body)
  } catch {
    const problem = `expected JSON of at most ${maxJsonDepth} levels`
    return refusal({ kind: 'none', id: null, code: -32_700, problem })
  }
  const batch = values as readonly unknown[]
  if (batch.length > maxBatch) return invalid(`a batch has at most ${maxBatch} messages`)
  const messages: JSONRPCMessage[] = []
  for (const value of batch) {
    const read = checkMessage(value)
    if ('problem' in read) return invalid(`a message of the batch: ${read.problem}`)
    messages.push(read.message)
  }
  return { messages }
}

function invalid(problem: string): Rejection {
  return refusal({ kind: 'none', id: null, code: -32_600, problem })
}

function refusal(invalid: InvalidMessage): Rejection {
  return { status: 400, ...invalidRequestError(invalid).error, id: invalid.id }
}
