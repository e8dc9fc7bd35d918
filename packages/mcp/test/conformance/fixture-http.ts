// The conformance fixture over HTTP with only the SDK, as a reference for the gateway; with `tasks`, the server with tasks.

import { randomUUID } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
  originValidationResponse,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { createTaskServers } from '../fixtures/tasks/create-task-server.ts'
import { createFixture } from './fixture/fixture.ts'

const createServer = process.argv[2] === 'tasks' ? createTaskServers() : conformanceServers()
const modern = createMcpHandler(() => createServer('modern'), { legacy: 'reject' })
const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()

function conformanceServers(): (era: 'legacy' | 'modern') => McpServer | Server {
  return createFixture({
    tools: () => modern.notify.toolsChanged(),
    prompts: () => modern.notify.promptsChanged(),
  })
}

async function answer(request: Request): Promise<Response> {
  const rejection =
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins())
  if (rejection) return rejection
  return (await isLegacyRequest(request)) ? answerLegacy(request) : modern.fetch(request)
}

async function answerLegacy(request: Request): Promise<Response> {
  const id = request.headers.get('mcp-session-id')
  const known = id === null ? undefined : sessions.get(id)
  if (id !== null && known === undefined) return new Response(null, { status: 404 })
  if (known !== undefined) return known.handleRequest(request)
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (session) => void sessions.set(session, transport),
    onsessionclosed: (session) => void sessions.delete(session),
  })
  await createServer('legacy').connect(transport)
  return transport.handleRequest(request)
}

async function bridge(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController()
  outgoing.on('close', () => gone.abort())
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const response = await answer(
    new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers: Object.entries(incoming.headers).map(
        ([name, value]) => [name, String(value)] as [string, string],
      ),
      body: chunks.length > 0 ? Buffer.concat(chunks) : null,
      signal: gone.signal,
    }),
  )
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.flushHeaders()
  if (response.body) await pipeline(Readable.fromWeb(response.body as never), outgoing).catch(() => undefined)
  else outgoing.end()
}

const http = createHttpServer((incoming, outgoing) => void bridge(incoming, outgoing))
http.listen(0, '127.0.0.1', () => {
  const address = http.address()
  process.stderr.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : address}/mcp\n`)
})
