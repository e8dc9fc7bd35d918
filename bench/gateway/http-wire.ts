import { HttpConnections } from './http-connections.ts'
import { sseParser } from './sse-parser.ts'
import type { Wire, WireEvents } from './wire.ts'

/** Streamable HTTP: the response is JSON or an event stream. */
export function httpWire(url: URL, headers: Readonly<Record<string, string>>, events: WireEvents): Wire {
  const connections = new HttpConnections(url)
  const sent = new Map([
    ...Object.entries(headers),
    ['content-type', 'application/json'],
    ['accept', 'application/json, text/event-stream'],
  ])
  let head = headOf('POST', url.pathname, sent)
  const add = (name: string, value: string): void => {
    sent.set(name, value)
    head = headOf('POST', url.pathname, sent)
  }
  return {
    send(body, failed, done) {
      let whole = ''
      let read = (text: string): void => {
        whole += text
      }
      connections.send(head, body, {
        failed,
        start(status, responseHeaders) {
          if (status >= 300) failed(new Error(`the server responded with ${status}`))
          const session = responseHeaders.get('mcp-session-id')
          if (session !== undefined && !sent.has('mcp-session-id')) add('mcp-session-id', session)
          const isStream = responseHeaders.get('content-type')?.startsWith('text/event-stream')
          if (isStream) read = sseParser(({ data }) => events.message(data))
        },
        text: (text) => read(text),
        end() {
          if (whole.startsWith('{')) events.message(whole)
          done?.()
        },
      })
    },
    agree: (protocolVersion) => add('mcp-protocol-version', protocolVersion),
    close: () => connections.close(),
  }
}

/** The older SSE transport: one event stream for all responses; its first event contains the URL to post to. */
export function sseWire(url: URL, events: WireEvents): Wire {
  const connections = new HttpConnections(url)
  let head = ''
  const ready = new Promise<void>((resolve, reject) => {
    const failed = (error: Error): void => {
      reject(error)
      events.lost(error)
    }
    connections.send(headOf('GET', url.pathname, new Map([['accept', 'text/event-stream']])), '', {
      failed,
      text: sseParser(({ event, data }) => {
        if (event !== 'endpoint') return events.message(data)
        head = headOf('POST', data, new Map([['content-type', 'application/json']]))
        resolve()
      }),
      end: () => failed(new Error('the server closed its stream')),
    })
  })
  return {
    ready,
    send(body, failed, done) {
      connections.send(head, body, { failed, end: done })
    },
    close: () => connections.close(),
  }
}

function headOf(method: string, path: string, headers: ReadonlyMap<string, string>): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}`
}
