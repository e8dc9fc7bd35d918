import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Random } from '../../../../test/support/random.ts'
import { openingMessages, serverMessage, validResponse } from './corpus.ts'
import { mutate } from './mutate.ts'

export interface RemoteFuzzServer {
  readonly url: string
  /** A URL where the first responses of a connection are mutated too, with the seed in the URL. */
  openingUrl(seed: number): string
  close(): void
}

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** The same as `fuzz-server.ts` over HTTP: `act` gets mutated JSON, or mutated events before the response. */
export async function startRemoteFuzzServer(): Promise<RemoteFuzzServer> {
  const server = createServer(async (request, response) => {
    response.on('error', () => {})
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const body = await text(request).catch(() => '')
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const message = JSON.parse(body) as Message
    // Notifications and responses.
    if (message.id === undefined || message.method === undefined) return void response.writeHead(202).end()
    if (pathname === '/opening') return answerOpening(response, message, Number(searchParams.get('seed')))
    if (message.method === 'tools/call' && message.params?.name === 'act') return answerAct(response, message)
    sendJson(response, JSON.stringify(validResponse(message.id, message.method, message.params)))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/mcp`,
    openingUrl: (seed) => `${origin}/opening?seed=${seed}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function answerAct(response: ServerResponse, { id = 0, method = '', params }: Message): void {
  const { seed, count } = (params?.arguments ?? {}) as { readonly seed: number; readonly count: number }
  const token = (params?._meta as { readonly progressToken?: unknown } | undefined)?.progressToken
  const random = new Random(seed)
  if (count === 1) return sendJson(response, mutate(random, serverMessage(random, id, token)))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let sent = 0; sent < count; sent++) {
    const name = random.once(10) ? `event: ${random.pick(['message', 'x', '\u0000'])}\nid: ${sent}\n` : ''
    response.write(`${name}${random.once(20) ? 'retry: 0\n' : ''}data: `)
    response.write(mutate(random, serverMessage(random, id, token)))
    response.write(random.once(20) ? '\r' : '\n\n')
  }
  response.end(`\n\ndata: ${JSON.stringify(validResponse(id, method, params))}\n\n`)
}

/** Responds mostly with a mutation of the expected response. */
function answerOpening(
  response: ServerResponse,
  { id = 0, method = '', params }: Message,
  seed: number,
): void {
  const random = new Random(seed + method.length)
  const valid = random.once(3) ? { ...random.pick(openingMessages()), id } : validResponse(id, method, params)
  const bytes = random.once(3) ? Buffer.from(JSON.stringify(valid)) : mutate(random, valid)
  if (random.once(2)) return sendJson(response, bytes)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(Buffer.concat([Buffer.from('data: '), bytes, Buffer.from('\n\n')]))
}

function sendJson(response: ServerResponse, body: string | Buffer): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}
