import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

type Handle = (request: IncomingMessage, response: ServerResponse, count: number) => void

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** HTTP APIs that misbehave, by path. */
const paths: Readonly<Record<string, Handle>> = {
  '/works': (_, response) => json(response, 200, { answer: 'it works' }),
  '/no-headers': () => {},
  '/no-body': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
    response.flushHeaders()
  },
  '/trickle': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const timer = setInterval(() => response.write('.'), 100)
    response.on('close', () => clearInterval(timer))
  },
  '/endless': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const chunk = Buffer.alloc(1_048_576, 'x')
    const write = (): void => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', write)
    write()
  },
  '/redirects': (_, response, count) => {
    response.writeHead(302, { location: `/redirects?${count}` })
    response.end()
  },
  '/once-401': (_, response, count) =>
    count === 1
      ? json(response, 401, { error: 'unauthorized' })
      : json(response, 200, { answer: 'it works' }),
  '/closes': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
    response.write('{"answer": ')
    setTimeout(() => response.destroy(), 50)
  },
  '/resets': (request) => request.socket.resetAndDestroy(),
  '/garbage': (request) => void request.socket.end('this is not HTTP\r\n\r\n'),
  '/broken-json': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"answer": "it')
  },
  '/html-error': (_, response) => {
    response.writeHead(500, { 'content-type': 'text/html' })
    response.end(`<html><body><h1>Internal error</h1>${'<p>stack</p>'.repeat(100_000)}</body></html>`)
  },
  '/bomb': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
    response.end(bomb())
  },
  '/empty': (_, response) => {
    response.writeHead(204)
    response.end()
  },
}

let compressed: Buffer | undefined
/** 500 MB of zeros as 500 KB. */
function bomb(): Buffer {
  compressed ??= gzipSync(Buffer.alloc(500_000_000))
  return compressed
}

export interface ApiServer {
  readonly url: string
  /** The requests for a path. */
  count(path: string): number
  /** Connections that are open. */
  connections(): Promise<number>
  close(): void
}

export async function startApiServer(): Promise<ApiServer> {
  const counts = new Map<string, number>()
  const server = createServer((request, response) => {
    const path = request.url!.split('?')[0]!
    const count = (counts.get(path) ?? 0) + 1
    counts.set(path, count)
    response.on('error', () => {})
    const handle = paths[path]
    if (handle === undefined) json(response, 404, { error: 'not found' })
    else handle(request, response, count)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: (path) => counts.get(path) ?? 0,
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
