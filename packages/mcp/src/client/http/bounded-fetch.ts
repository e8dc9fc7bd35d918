import { CurfewError } from '@curfew/core'
import type { FetchLike } from '@modelcontextprotocol/client'
import { unusableAnswerCode } from '../open-requests.ts'
import { mostMessageBytes } from '../stdio-transport.ts'
import { EventSizes } from './event-sizes.ts'
import { displayUrl } from './http-problem.ts'

/** A message that is too large is not read to its end, let alone kept: the request that it answers fails. */
export function boundedFetch(fetch: FetchLike, mostBytes: number = mostMessageBytes): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (response.body === null || isShort(response, mostBytes)) return response
    const refusal = `${displayUrl(url)}: a message of more than ${mostBytes} bytes was not read`
    const limit = isEventStream(response)
      ? limitEvents(mostBytes, refusal, () => requestId(init?.body))
      : limitBody(mostBytes, refusal)
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(limit), { status, statusText, headers })
  }
}

/** What says its length and is not compressed needs no counting. */
function isShort({ headers }: Response, mostBytes: number): boolean {
  const length = headers.get('content-length')
  return length !== null && !headers.has('content-encoding') && Number(length) <= mostBytes
}

function isEventStream({ headers }: Response): boolean {
  return /^\s*text\/event-stream\b/i.test(headers.get('content-type') ?? '')
}

function limitBody(mostBytes: number, refusal: string): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length
      if (bytes > mostBytes) controller.error(new CurfewError('TRANSPORT_FAILED', refusal))
      else controller.enqueue(chunk)
    },
  })
}

/** A stream may go on for days; only one event must not be too large. */
function limitEvents(
  mostBytes: number,
  refusal: string,
  findId: () => string | number | null,
): TransformStream<Uint8Array, Uint8Array> {
  const sizes = new EventSizes()
  return new TransformStream({
    transform(chunk, controller) {
      if (sizes.push(chunk) <= mostBytes) return controller.enqueue(chunk)
      const id = findId()
      if (id === null) return controller.error(new CurfewError('TRANSPORT_FAILED', refusal))
      // In the place of an answer: who waits for it need not wait until the deadline.
      const answer = { jsonrpc: '2.0', id, error: { code: unusableAnswerCode, message: refusal } }
      controller.enqueue(Buffer.from(`\nevent: too-large\n\ndata: ${JSON.stringify(answer)}\n\n`))
      controller.terminate()
    },
  })
}

function requestId(body: unknown): string | number | null {
  if (typeof body !== 'string') return null
  const { method, id } = JSON.parse(body) as { method?: unknown; id?: string | number }
  return typeof method === 'string' ? (id ?? null) : null
}
