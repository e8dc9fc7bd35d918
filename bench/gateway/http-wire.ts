import { StringDecoder } from 'node:string_decoder'
import { type Dispatcher, Pool } from 'undici'
import { sseParser } from './sse-parser.ts'
import type { Wire, WireEvents } from './wire.ts'

/** Streamable HTTP: the answer comes with the response, as JSON or as a stream of events. */
export function httpWire(url: URL, headers: Readonly<Record<string, string>>, events: WireEvents): Wire {
  const pool = keepAlive(url)
  let sent: Record<string, string> = {
    ...headers,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  return {
    send(body, failed, done) {
      let read = (_text: string): void => {}
      let whole = ''
      exchange(pool, { path: url.pathname, method: 'POST', headers: sent, body }, failed, {
        start(got) {
          const session = got['mcp-session-id']
          if (typeof session === 'string' && sent['mcp-session-id'] === undefined) {
            sent = { ...sent, 'mcp-session-id': session }
          }
          const isStream = String(got['content-type']).startsWith('text/event-stream')
          read = isStream
            ? sseParser(({ data }) => events.message(data))
            : (text) => {
                whole += text
              }
        },
        text: (text) => read(text),
        end() {
          if (whole !== '') events.message(whole)
          done?.()
        },
      })
    },
    agree(protocolVersion) {
      sent = { ...sent, 'mcp-protocol-version': protocolVersion }
    },
    close: () => void pool.destroy(),
  }
}

/** The older way: one stream of events for all answers, its first event says where to post. */
export function sseWire(url: URL, events: WireEvents): Wire {
  const pool = keepAlive(url)
  const headers = { 'content-type': 'application/json' }
  let path = ''
  const ready = new Promise<void>((resolve, reject) => {
    const lost = (error: Error): void => {
      reject(error)
      events.lost(error)
    }
    const accept = { accept: 'text/event-stream' }
    exchange(pool, { path: url.pathname, method: 'GET', headers: accept }, lost, {
      text: sseParser(({ event, data }) => {
        if (event !== 'endpoint') return events.message(data)
        path = data
        resolve()
      }),
      end: () => lost(new Error('the server closed its stream')),
    })
  })
  return {
    ready,
    send(body, failed, done) {
      exchange(pool, { path, method: 'POST', headers, body }, failed, { end: done })
    },
    close: () => void pool.destroy(),
  }
}

function keepAlive(url: URL): Pool {
  return new Pool(url.origin, { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 60_000 })
}

interface Reader {
  readonly start?: ((headers: Readonly<Record<string, unknown>>) => void) | undefined
  readonly text?: ((text: string) => void) | undefined
  readonly end?: (() => void) | undefined
}

/** Without the streams that undici's `request` puts in between. */
function exchange(
  pool: Pool,
  options: Dispatcher.DispatchOptions,
  failed: (error: Error) => void,
  { start, text, end }: Reader,
): void {
  const decoder = new StringDecoder('utf8')
  pool.dispatch(options, {
    onRequestStart() {},
    onResponseStart(controller, status, headers) {
      if (status < 300) start?.(headers)
      else controller.abort(new Error(`the server answered ${options.method} with ${status}`))
    },
    onResponseData: (_controller, chunk) => text?.(decoder.write(chunk)),
    onResponseEnd: () => end?.(),
    onResponseError: (_controller, error) => failed(error),
  })
}
