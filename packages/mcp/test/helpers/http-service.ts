import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import type { Clock } from '@curfew/core/internal'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Server } from '@modelcontextprotocol/server'
import { afterEach, expect } from 'vitest'
import { until } from '../../../../test/support/until.ts'
import { type HttpService, serveHttp } from '../../src/serve/serve-http.ts'

export const TOKEN = 'a-token-for-tests'

/** What the fixture's tools have recorded. */
export interface Seen {
  /** Calls of `flood` that have sent everything. */
  floods: number
  readonly servers: Server[]
  /** Calls of `wait` in order, with the reason of their end. */
  readonly waits: { ended: 'aborted' | 'released' | null; release(): void; readonly began: number }[]
  cancelledQuestions: number
  readonly closed: (string | undefined)[]
}

export interface Fixture extends HttpService {
  readonly seen: Seen
  readonly errors: Error[]
  client(options?: ClientOptions): Promise<Client>
  /** Waits until a call of `wait` has started. */
  waiting(count?: number): Promise<void>
  raw(options?: RawOptions): Promise<RawAnswer>
  /** Sends a few requests, after which the service has noticed that a connection was closed. */
  noticed(): Promise<void>
  /** Starts a session and returns its id. */
  begin(version?: string): Promise<string>
}

export interface RawOptions {
  readonly method?: string
  readonly path?: string
  readonly body?: unknown
  /** `undefined` removes a default header. */
  readonly headers?: Record<string, string | undefined>
}

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** The complete body. */
  text(): Promise<string>
  json(): Promise<{ id: unknown; result?: unknown; error?: { code: number; message: string } }>
  /** The first `count` events of a stream. */
  events(count: number): Promise<unknown[]>
  /** Closes the connection. */
  leave(): void
  /** Stops reading. */
  pause(): void
  resume(): void
}

export function useHttpService(): (options?: { token?: string | null; clock?: Clock }) => Promise<Fixture> {
  const cleanUps: (() => Promise<void> | void)[] = []
  afterEach(async () => {
    for (const clean of cleanUps.splice(0).reverse()) await clean()
  })

  return async ({ token = TOKEN, clock } = {}) => {
    const seen: Seen = { servers: [], floods: 0, waits: [], cancelledQuestions: 0, closed: [] }
    const errors: Error[] = []
    const service = await serveHttp({
      createServer: ({ sessionId }) => createFixtureServer(seen, sessionId),
      host: '127.0.0.1',
      port: 0,
      token,
      onerror: (error) => errors.push(error),
      ...(clock !== undefined && { clock }),
    })
    cleanUps.push(() => service.close())

    const raw = (options: RawOptions = {}): Promise<RawAnswer> => sendRaw(service.url, options)
    const fixture: Fixture = {
      ...service,
      seen,
      errors,
      raw,
      async client(options = {}) {
        const client = new Client({ name: 'test', version: '1' }, options)
        cleanUps.push(() => client.close())
        const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } }
        await client.connect(new StreamableHTTPClientTransport(new URL(service.url), { requestInit }))
        return client
      },
      waiting: async (count = 1) => {
        expect(await until(() => seen.waits.length >= count)).toBe(true)
      },
      async noticed() {
        for (let turn = 0; turn < 5; turn++) await (await raw({ method: 'GET', path: '/' })).text()
      },
      async begin(version = '2025-11-25') {
        const params = {
          protocolVersion: version,
          capabilities: {},
          clientInfo: { name: 'raw', version: '1' },
        }
        const answer = await raw({ body: { jsonrpc: '2.0', id: 'begin', method: 'initialize', params } })
        await answer.text()
        return String(answer.headers['mcp-session-id'])
      },
    }
    return fixture
  }
}

export function call(id: number | string, name: string, args: object = {}): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
}

function createFixtureServer(seen: Seen, sessionId: string | undefined): Server {
  const server = new Server(
    { name: 'fixture', version: '1' },
    {
      capabilities: { tools: { listChanged: true }, logging: {} },
      supportedProtocolVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
    },
  )
  seen.servers.push(server)
  server.onclose = () => seen.closed.push(sessionId)
  server.setRequestHandler('tools/list', () => ({
    tools: [{ name: 'echo', inputSchema: { type: 'object' } }],
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const args = params.arguments ?? {}
    const text = (value: string): { content: { type: 'text'; text: string }[] } => ({
      content: [{ type: 'text', text: value }],
    })
    switch (params.name) {
      case 'echo':
        return text(String(args.text))
      case 'count': {
        const progressToken = mcpReq._meta?.progressToken
        for (let progress = 1; progress <= 3; progress++) {
          await mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken: progressToken ?? 0, progress, total: 3 },
          })
        }
        return text('counted')
      }
      case 'flood': {
        const data = 'x'.repeat(64 * 1024)
        await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data: 'first' } })
        if (args.wait === true) await new Promise((resolve) => setTimeout(resolve, 100))
        for (let sent = 0; sent < 400; sent++) {
          await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } })
        }
        seen.floods += 1
        return text('flooded')
      }
      case 'ask': {
        mcpReq.signal.addEventListener('abort', () => {
          seen.cancelledQuestions += 1
        })
        const answer = await mcpReq.send({
          method: 'elicitation/create',
          params: {
            message: 'Which?',
            requestedSchema: { type: 'object', properties: { which: { type: 'string' } } },
          },
        })
        return text(`${answer.action} ${String(answer.content?.which)}`)
      }
      case 'sample': {
        const answer = await mcpReq.send({
          method: 'sampling/createMessage',
          params: { messages: [{ role: 'user', content: { type: 'text', text: 'Say it' } }], maxTokens: 5 },
        })
        return text(JSON.stringify(answer.content))
      }
      case 'wait': {
        const ended = await new Promise<'aborted' | 'released'>((resolve) => {
          const wait: Seen['waits'][number] = {
            ended: null,
            began: performance.now(),
            release: () => {
              wait.ended ??= 'released'
              resolve('released')
            },
          }
          seen.waits.push(wait)
          mcpReq.signal.addEventListener('abort', () => {
            wait.ended ??= 'aborted'
            resolve('aborted')
          })
        })
        return text(ended)
      }
      case 'fail':
        throw new Error('failed on request')
      default:
        return text('unknown')
    }
  })
  return server
}

export function sendRaw(
  url: string,
  { method = 'POST', path, body, headers = {} }: RawOptions,
): Promise<RawAnswer> {
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
  const all: Record<string, string | undefined> = {
    authorization: `Bearer ${TOKEN}`,
    accept: 'application/json, text/event-stream',
    ...(text !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
    }),
    ...headers,
  }
  const target = new URL(url)
  return new Promise((resolve, reject) => {
    const request: ClientRequest = httpRequest(
      {
        host: target.hostname,
        port: target.port,
        path: path ?? target.pathname,
        method,
        headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
          string,
          string
        >,
        agent: false,
      },
      (response) => resolve(rawAnswer(request, response)),
    )
    request.on('error', reject)
    request.end(text)
  })
}

function rawAnswer(request: ClientRequest, response: IncomingMessage): RawAnswer {
  let text = ''
  let ended = false
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    text += chunk
  })
  response.on('close', () => {
    ended = true
  })
  response.on('error', () => {})
  const whole = async (): Promise<string> => {
    await until(() => ended)
    return text
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: whole,
    json: async () => JSON.parse(await whole()),
    async events(count) {
      const parse = (): unknown[] =>
        [...text.matchAll(/^data: (.*)\n\n/gm)].map((match) => JSON.parse(match[1] ?? ''))
      await until(() => parse().length >= count || ended)
      return parse()
    },
    leave: () => request.destroy(),
    pause: () => void response.pause(),
    resume: () => void response.resume(),
  }
}
