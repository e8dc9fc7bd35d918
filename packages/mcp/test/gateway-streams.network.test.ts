import type { ServerResponse } from 'node:http'
import type { ClientOptions } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import {
  type Answer,
  type Message,
  type Seen,
  sendJson,
  serveMcp,
  startFakeServer,
} from './helpers/fake-server.ts'
import { legacy, modern } from './helpers/http-gateway.ts'
import type { LocalGateway } from './helpers/local-gateway.ts'
import { startRemoteGateway } from './helpers/remote-gateway.ts'

type Method = 'elicitation/create' | 'sampling/createMessage' | 'roots/list'

const questions: Readonly<Record<Method, object>> = {
  'elicitation/create': { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
  'sampling/createMessage': { messages: [], maxTokens: 10 },
  'roots/list': {},
}

/**
 * A remote 2025 server with the tool `ask`, which asks its client on the stream of the call, or on the stream for everything else. It
 * asks only once `calls` calls are open, the last one first, and returns the answers once it has all of them.
 */
function askingServer(calls: number, stream: 'call' | 'other' = 'call') {
  const open: { readonly message: Message; readonly response: ServerResponse }[] = []
  const answers = new Map<string, string>()
  let other: ServerResponse | null = null
  const send = (response: ServerResponse, message: object): void =>
    void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
  const ask = ({ message, response }: (typeof open)[number]): void => {
    const { method } = message.params!.arguments as { method: Method }
    const to = stream === 'call' ? response : other!
    const data = `about ${JSON.stringify(message.params?.arguments)}`
    // In one chunk: the second message must not be attributed to the call of the first.
    to.cork()
    send(to, { method: 'notifications/message', params: { level: 'error', data } })
    send(to, { id: `ask-${message.id}`, method, params: questions[method] })
    to.uncork()
  }
  const start = (response: ServerResponse): ServerResponse => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    return response
  }
  const mcp = serveMcp({
    ask: (message, response) => {
      open.push({ message, response: start(response) })
      if (open.length === calls) for (const call of [...open].reverse()) ask(call)
    },
  })
  const isAnswer = ({ method, body }: Seen): boolean => method === 'POST' && !body.includes('"method"')
  const answer: Answer = (seen, response) => {
    if (seen.method === 'GET' && stream === 'other') {
      other = start(response)
      return true
    }
    if (seen.body.includes('"initialize"')) return initialize(seen, response)
    if (!isAnswer(seen)) return mcp(seen, response)
    answers.set((JSON.parse(seen.body) as { id: string }).id, seen.body)
    response.writeHead(202).end()
    if (answers.size === calls) for (const call of open) finish(call)
    return true
  }
  const finish = ({ message, response }: (typeof open)[number]): void => {
    const content = [{ type: 'text', text: answers.get(`ask-${message.id}`) }]
    send(response, { id: message.id, result: { content } })
    response.end()
  }
  return { answer, isListening: () => other !== null }
}

/** With logging, so that clients can set a level. */
function initialize({ body }: Seen, response: ServerResponse): true {
  const { id } = JSON.parse(body) as Message
  const capabilities = { tools: {}, logging: {} }
  const serverInfo = { name: 'asking', version: '1' }
  const result = { protocolVersion: '2025-11-25', capabilities, serverInfo }
  return sendJson(response, 200, { jsonrpc: '2.0', id, result })
}

/** A client that answers every question with its name. */
async function connectAs(gateway: LocalGateway, name: string, era: ClientOptions) {
  const logged: string[] = []
  const client = await gateway.connect({
    ...era,
    capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
    prepare: (client) => {
      client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name } }))
      client.setRequestHandler('sampling/createMessage', async () => ({
        role: 'assistant',
        model: 'test',
        content: { type: 'text', text: name },
      }))
      client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: `file:///${name}` }] }))
      client.setNotificationHandler(
        'notifications/message',
        ({ params }) => void logged.push(String(params.data)),
      )
    },
  })
  return { ask: (method: Method) => client.call('mcp__remote__ask', { who: name, method }), logged }
}

const names = ['ada', 'bob', 'cleo']

/** The answers to three clients whose calls are open at the same time, and their log messages. */
async function askAll(method: Method, era: ClientOptions, stream: 'call' | 'other' = 'call') {
  const server = askingServer(names.length, stream)
  const { origin } = await startFakeServer(server.answer)
  const gateway = await startRemoteGateway(origin, { settings: { eager: true } })
  await until(() => stream === 'call' || server.isListening())
  const clients = await Promise.all(names.map((name) => connectAs(gateway, name, era)))
  const answers = await Promise.all(clients.map(({ ask }) => ask(method)))
  return { answers, logged: clients.map((client) => client.logged) }
}

test.each<[Method, string, ClientOptions]>([
  ['elicitation/create', '2025', legacy],
  ['elicitation/create', '2026', modern],
  ['sampling/createMessage', '2025', legacy],
  ['sampling/createMessage', '2026', modern],
])('%s on the stream of a call reaches its client (%s), while others have calls', async (method, _, era) => {
  const { answers, logged } = await askAll(method, era)
  expect(answers.map((text) => names.find((name) => text.includes(name)))).toEqual(names)
  // A client of 2026 gets only what it asks for.
  const messages = names.map((who) => [`about ${JSON.stringify({ who, method })}`])
  expect(logged).toEqual(era === legacy ? messages : [[], [], []])
})

test('roots are empty, because the server would use those of one client for the others', async () => {
  const { answers } = await askAll('roots/list', legacy)
  for (const text of answers) expect(text).toContain('"result":{"roots":[]}')
})

test('on the stream for everything else, a question is rejected and a log message is dropped', async () => {
  const { answers, logged } = await askAll('elicitation/create', legacy, 'other')
  for (const text of answers) expect(text).toContain('several clients have calls on this connection')
  expect(logged).toEqual([[], [], []])
})
