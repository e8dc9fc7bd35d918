import { defineTool } from '@curfew/core'
import { InMemoryTransport, type JSONRPCMessage, type JSONRPCRequest } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { createGateway } from '../gateway/create-gateway.ts'
import { OpeningExchange, openingVersions } from './opening-exchange.ts'

const greet = defineTool({
  name: 'greet',
  description: 'Greet a person.',
  parameters: { type: 'object', properties: { name: { type: 'string' } } },
  execute: () => 'hello',
})
const gateway = await createGateway({
  runtime: {},
  view: 'stub',
  tools: [greet],
  servers: [],
  stateFolder: '/nonexistent',
  log: () => {},
})
afterAll(() => gateway.close())

const clientInfo = { name: 'client', version: '1' }
const request = (id: number, method: string, params?: object): JSONRPCRequest =>
  ({ jsonrpc: '2.0', id, method, ...(params && { params }) }) as JSONRPCRequest
const initialize = (params: object): JSONRPCRequest => request(1, 'initialize', params)
const plain = { protocolVersion: openingVersions[0]!, capabilities: {}, clientInfo }

/** What the SDK answers to the last of the messages. */
async function answerOfSdk(...messages: readonly JSONRPCMessage[]): Promise<unknown> {
  const [client, transport] = InMemoryTransport.createLinkedPair()
  const server = gateway.createServer('legacy')
  await server.connect(transport)
  let answer: unknown
  for (const message of messages) {
    const answered = new Promise((resolve) => {
      client.onmessage = resolve
    })
    await client.send(message)
    answer = await answered
  }
  await server.close()
  return JSON.parse(JSON.stringify(answer))
}

test.each(openingVersions)(
  'a client of %s gets the same answers as from the SDK',
  async (protocolVersion) => {
    const opening = new OpeningExchange(gateway)
    const messages = [initialize({ ...plain, protocolVersion }), request(2, 'tools/list')] as const
    expect(opening.handle(messages[0])).toEqual(await answerOfSdk(messages[0]))
    expect(opening.handle({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeNull()
    expect(opening.isComplete).toBe(false)
    expect(opening.handle(messages[1])).toEqual(await answerOfSdk(...messages))
    expect(opening).toMatchObject({ isComplete: true, isOutdated: false })
    expect(opening.answered).toEqual([messages[0], { jsonrpc: '2.0', method: 'notifications/initialized' }])
  },
)

test.each<[string, readonly JSONRPCMessage[]]>([
  ['another version', [initialize({ ...plain, protocolVersion: '2019-01-01' })]],
  ['a modern version', [initialize({ ...plain, protocolVersion: '2026-07-28' })]],
  ['no version', [initialize({ capabilities: {}, clientInfo })]],
  ['metadata', [initialize({ ...plain, _meta: {} })]],
  ['tasks', [initialize({ ...plain, capabilities: { tasks: {} } })]],
  ['a list before initialize', [request(1, 'tools/list')]],
  ['discovery', [request(1, 'server/discover')]],
  ['a second initialize', [initialize(plain), initialize(plain)]],
  ['a cursor', [initialize(plain), request(2, 'tools/list', { cursor: 'x' })]],
  ['a call', [initialize(plain), request(2, 'tools/call', { name: 'greet' })]],
  ['another notification', [initialize(plain), { jsonrpc: '2.0', method: 'notifications/cancelled' }]],
  ['a response', [initialize(plain), { jsonrpc: '2.0', id: 7, result: {} }]],
  ['a second list', [initialize(plain), request(2, 'tools/list'), request(3, 'tools/list')]],
])('%s is left to the SDK', (_, messages) => {
  const opening = new OpeningExchange(gateway)
  const answers = messages.map((message) => opening.handle(message))
  expect(answers.at(-1)).toBeUndefined()
})

test('whatever a client sends, an answer is the one of the SDK', async () => {
  const some = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom({}, { listChanged: true }, { form: {} }, { form: { applyDefaults: 1 } }, { x: {} }),
  )
  const names = ['roots', 'sampling', 'elicitation', 'experimental', 'extensions', 'tasks', 'other']
  const params = fc.record(
    {
      protocolVersion: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...openingVersions) },
        { weight: 1, arbitrary: some },
      ),
      capabilities: fc.dictionary(fc.constantFrom(...names), some, { maxKeys: 2 }),
      clientInfo: fc.oneof(
        fc.constant(clientInfo),
        fc.record(
          { name: fc.string(), version: fc.string(), title: some, icons: some },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: ['protocolVersion', 'capabilities'] },
  )
  let answers = 0
  await fc.assert(
    fc.asyncProperty(params, async (value) => {
      const message = initialize(JSON.parse(JSON.stringify(value)) as object)
      const answer = new OpeningExchange(gateway).handle(message)
      if (answer === undefined) return
      answers++
      expect(answer).toEqual(await answerOfSdk(message))
    }),
    { numRuns: 300 },
  )
  expect(answers).toBeGreaterThan(10)
})

test('a list with an output schema that the SDK has to change is left to it', () => {
  const tool = { name: 'measure', inputSchema: { type: 'object' }, outputSchema: { type: 'array' } }
  const unusual = { opening: { ...gateway.opening, tools: [tool] } } as unknown as typeof gateway
  const opening = new OpeningExchange(unusual)
  expect(opening.handle(initialize(plain))).toBeDefined()
  expect(opening.handle(request(2, 'tools/list'))).toBeUndefined()
  expect(opening.isComplete).toBe(false)
})
