import { CurfewError } from '@curfew/core'
import { type Clock, parseJson, withTimer } from '@curfew/core/internal'
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
import { maxErrorBytes } from '../http/readable-body.ts'
import { EventReader, type ServerEvent, writeEvent } from './event-reader.ts'

/** Called with an invalid message that no request can be failed with. */
type OnInvalid = (invalid: InvalidMessage) => void

/** Returns the id of the request; `null` if there is none. Lazy, because the body may be large. */
type FindId = () => RequestId | null

/** Batches are part of one old protocol version only. */
const maxBatch = 1_000
/** How long the body of an error may take. */
const errorBodyMs = 2_000

/**
 * Validates the messages in responses before the SDK parses them, both JSON and events. An invalid response is replaced by an error
 * for its request; any other invalid message is reported.
 */
export function messageFetch(fetch: FetchLike, clock: Clock, onInvalid: OnInvalid): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    const { body } = response
    if (body === null) return response
    if (!response.ok) {
      const start = await readStart(body, isJson(response) ? maxMessageBytes : maxErrorBytes, clock)
      init?.signal?.throwIfAborted()
      return new Response(isJson(response) ? checkErrorBody(start) : start, sameHead(response))
    }
    const tooLarge = `${displayUrl(url)}: expected a message of at most ${maxMessageBytes} bytes`
    const requestId: FindId = () => requestIdOf(init?.body)
    if (isEventStream(response)) {
      const events = checkEvents(requestId, tooLarge, onInvalid)
      return new Response(body.pipeThrough(events), sameHead(response))
    }
    if (!isJson(response)) return new Response(body.pipeThrough(limited(tooLarge)), sameHead(response))
    const text = await readLimitedText(body, maxMessageBytes, tooLarge).catch((error: unknown) => {
      const id = requestId()
      if (!(error instanceof CurfewError) || id === null) throw error
      return JSON.stringify(invalidResponseError(id, tooLarge))
    })
    return new Response(checkBody(text, requestId, onInvalid), sameHead(response))
  }
}

/** The body is complete: if it lacks the response to the request, the request fails. */
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
  const hasResponse = messages.some(
    (message) => !('method' in message) && message.id !== undefined && String(message.id) === String(id),
  )
  if (id !== null && !hasResponse) messages.push(invalidResponseError(id, problem))
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

/** The body of an error status may be a message; anything else is truncated. */
function checkErrorBody(text: string): string {
  const read = readMessage(text)
  return 'message' in read ? JSON.stringify(read.message) : text.slice(0, maxErrorBytes)
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
      const error = JSON.stringify(invalidResponseError(id, tooLarge))
      controller.enqueue(Buffer.from(writeEvent({ type: '', data: error, id: null, retryMs: null })))
      controller.terminate()
    },
  })
}

function checkEvent(event: ServerEvent, requestId: FindId, onInvalid: OnInvalid): ServerEvent | null {
  const isMessage = event.type === '' || event.type === 'message'
  // An event without data only sets the id or the retry delay.
  if (!isMessage || event.data === '') return event
  const read = readMessage(event.data)
  if ('message' in read) return { ...event, data: JSON.stringify(read.message) }
  const error = read.kind === 'response' ? errorInstead(read, requestId) : null
  if (error !== null) return { ...event, data: JSON.stringify(error) }
  onInvalid(read)
  return null
}

/** `null` if it is unknown which request it belongs to. */
function errorInstead({ id, problem }: InvalidMessage, requestId: FindId): JSONRPCMessage | null {
  const known = id ?? requestId()
  return known === null ? null : invalidResponseError(known, problem)
}

/** The body of an error may be endless, or break off: what has arrived by then is enough to report the status with. */
async function readStart(body: ReadableStream<Uint8Array>, maxBytes: number, clock: Clock): Promise<string> {
  const chunks: Uint8Array[] = []
  const reader = body.getReader()
  await withTimer(clock, errorBodyMs, async (elapsed) => {
    const late = elapsed.then(() => null)
    for (let bytes = 0; bytes < maxBytes; ) {
      const read = await Promise.race([reader.read().catch(() => null), late])
      if (read?.value === undefined) return
      chunks.push(read.value)
      bytes += read.value.length
    }
  })
  void reader.cancel().catch(() => {})
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
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

/** The body was written by the SDK. */
function requestIdOf(body: unknown): RequestId | null {
  if (typeof body !== 'string') return null
  const { method, id } = JSON.parse(body) as { method?: unknown; id?: RequestId }
  return typeof method === 'string' ? (id ?? null) : null
}
