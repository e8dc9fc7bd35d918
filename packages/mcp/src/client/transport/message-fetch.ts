import { CurfewError } from '@curfew/core'
import { parseJson } from '@curfew/core/internal'
import type { FetchLike, JSONRPCMessage, RequestId } from '@modelcontextprotocol/client'
import { invalidResponseError } from '../../wire/error-responses.ts'
import {
  checkMessage,
  type InvalidMessage,
  maxMessageBytes,
  type ReadMessage,
  readMessage,
} from '../../wire/read-message.ts'
import { displayUrl } from '../http/http-error.ts'
import { isJson, readLimitedText, sameHead } from '../http/read-limited-text.ts'
import { EventReader, type ServerEvent, writeEvent } from './event-reader.ts'

/** What a server sent in the place of a message, and no request can be ended with it. */
type OnInvalid = (invalid: InvalidMessage) => void

/** The request that a response belongs to; `null` if it belongs to none. Found when it is needed: it may be large. */
type FindId = () => RequestId | null

/** Of a batch, which only one old version of the protocol has. */
const maxBatch = 1_000

/**
 * Lets only messages through: what a server sends as JSON or as events is checked before the SDK parses it. A response that
 * cannot be used is replaced by an error for the request it answers; anything else that is not a message is reported.
 */
export function messageFetch(fetch: FetchLike, onInvalid: OnInvalid): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    const { body } = response
    if (body === null) return response
    const tooLarge = `${displayUrl(url)}: a message of more than ${maxMessageBytes} bytes was not read`
    const requestId: FindId = () => requestIdOf(init?.body)
    if (isEventStream(response)) {
      const events = checkEvents(requestId, tooLarge, onInvalid)
      return new Response(body.pipeThrough(events), sameHead(response))
    }
    // A page that says what is wrong, for instance.
    if (!isJson(response)) return new Response(body.pipeThrough(limited(tooLarge)), sameHead(response))
    const text = await readLimitedText(body, maxMessageBytes, tooLarge).catch((error: unknown) => {
      const id = requestId()
      if (!response.ok || id === null || !(error instanceof CurfewError)) throw error
      return JSON.stringify(invalidResponseError(id, tooLarge))
    })
    const checked = response.ok ? checkBody(text, requestId, onInvalid) : checkErrorBody(text)
    return new Response(checked, sameHead(response))
  }
}

/** Nothing else will come: what does not contain the response to the request ends it as well. */
function checkBody(text: string, requestId: FindId, onInvalid: OnInvalid): string | null {
  const read = readBatch(text) ?? [readMessage(text)]
  const id = requestId()
  const messages: JSONRPCMessage[] = []
  let problem = 'expected the response to the request'
  for (const one of read) {
    if ('message' in one) messages.push(one.message)
    else if (id === null) onInvalid(one)
    else problem = one.problem
  }
  const isAnswered = messages.some(
    (message) => !('method' in message) && message.id !== undefined && String(message.id) === String(id),
  )
  if (id !== null && !isAnswered) messages.push(invalidResponseError(id, problem))
  if (messages.length === 1) return JSON.stringify(messages[0])
  return messages.length === 0 ? null : JSON.stringify(messages)
}

function readBatch(text: string): ReadMessage[] | null {
  if (!/^\s*\[/.test(text)) return null
  try {
    const values = parseJson(text)
    return Array.isArray(values) && values.length <= maxBatch ? values.map(checkMessage) : null
  } catch {
    return null
  }
}

/** The error of a request that was refused may be a message. Of anything else its beginning will do. */
function checkErrorBody(text: string): string {
  const read = readMessage(text)
  return 'message' in read ? JSON.stringify(read.message) : text.slice(0, 1_000)
}

function checkEvents(
  requestId: FindId,
  tooLarge: string,
  onInvalid: OnInvalid,
): TransformStream<Uint8Array, Uint8Array> {
  const reader = new EventReader(maxMessageBytes)
  return new TransformStream({
    transform(chunk, controller) {
      const events = reader.push(chunk)
      for (const event of events ?? []) {
        const checked = checkEvent(event, requestId, onInvalid)
        if (checked !== null) controller.enqueue(Buffer.from(writeEvent(checked)))
      }
      if (events !== null) return
      const id = requestId()
      if (id === null) return controller.error(new CurfewError('TRANSPORT_FAILED', tooLarge))
      const answer = JSON.stringify(invalidResponseError(id, tooLarge))
      controller.enqueue(Buffer.from(writeEvent({ type: '', data: answer, id: null, retryMs: null })))
      controller.terminate()
    },
  })
}

function checkEvent(event: ServerEvent, requestId: FindId, onInvalid: OnInvalid): ServerEvent | null {
  const isMessage = event.type === '' || event.type === 'message'
  // Without data it says where to go on, or how long to wait before that.
  if (!isMessage || event.data === '') return event
  const read = readMessage(event.data)
  if ('message' in read) return { ...event, data: JSON.stringify(read.message) }
  const answer = read.kind === 'response' ? answerInstead(read, requestId) : null
  if (answer !== null) return { ...event, data: JSON.stringify(answer) }
  onInvalid(read)
  return null
}

/** `null` if it is not known which request it answers. */
function answerInstead({ id, problem }: InvalidMessage, requestId: FindId): JSONRPCMessage | null {
  const answered = id ?? requestId()
  return answered === null ? null : invalidResponseError(answered, problem)
}

function limited(tooLarge: string): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length
      if (bytes > maxMessageBytes) controller.error(new CurfewError('TRANSPORT_FAILED', tooLarge))
      else controller.enqueue(chunk)
    },
  })
}

function isEventStream({ headers }: Response): boolean {
  return /^\s*text\/event-stream\b/i.test(headers.get('content-type') ?? '')
}

/** The body is our own. */
function requestIdOf(body: unknown): RequestId | null {
  if (typeof body !== 'string') return null
  const { method, id } = JSON.parse(body) as { method?: unknown; id?: RequestId }
  return typeof method === 'string' ? (id ?? null) : null
}
