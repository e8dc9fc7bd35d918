import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request as the server saw it. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Respond = (seen: Seen, response: ServerResponse) => unknown

export interface ApiServer {
  readonly url: string
  readonly host: string
  readonly seen: Seen[]
  /** Every socket that was ever opened. */
  readonly sockets: Socket[]
  close(): Promise<void>
}

/** A real server on loopback. It responds with the return value of `respond` as JSON, unless that has responded itself. */
export async function startApiServer(respond: Respond): Promise<ApiServer> {
  const seen: Seen[] = []
  return await listen(
    createServer((request, response) => void answer(request, response, respond, seen)),
    'http',
    seen,
  )
}

export async function listen(server: Server, scheme: string, seen: Seen[] = []): Promise<ApiServer> {
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${scheme}://${host}`,
    host,
    seen,
    sockets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  respond: Respond,
  list: Seen[],
): Promise<void> {
  const url = new URL(request.url!, 'http://server')
  const { method = '', headers } = request
  const path = request.url!.split('?', 1)[0]!
  const seen = { method, path, query: url.searchParams, headers, body: await text(request) }
  list.push(seen)
  const value = await respond(seen, response)
  if (value === undefined) return
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(value))
}

/** Resolves when the socket is closed. */
export async function closed(socket: Socket): Promise<void> {
  if (!socket.destroyed) await new Promise<void>((resolve) => socket.once('close', () => resolve()))
}
