import type { Random } from '../../../../test/support/random.ts'

type Fields = Readonly<Record<string, unknown>>

/** A valid message of a client. `live` are ids of requests that may still be open. */
export function clientMessage(random: Random, id: number, live: readonly number[]): Fields {
  const request = (method: string, params?: Fields): Fields => ({ jsonrpc: '2.0', id, method, params })
  const notification = (method: string, params?: Fields): Fields => ({ jsonrpc: '2.0', method, params })
  const echo = { name: 'mcp__honest__echo', arguments: { text: 'hello' }, _meta: { progressToken: id } }
  const liveId = live.length > 0 && random.once(3) ? random.pick(live) : 'unknown'
  return random.pick<() => Fields>([
    () => request('ping'),
    () => request('tools/list', { cursor: 'x' }),
    () => request('tools/call', echo),
    () => request('tools/call', { ...echo, _meta: { ...echo._meta, 'some/key': { a: [1] } } }),
    () => request('tools/call', { name: 'mcp__fuzz__fine', arguments: {} }),
    () => request('prompts/list', {}),
    () => request('prompts/get', { name: 'riddle', arguments: { about: 'x' } }),
    () => request('resources/list', {}),
    () => request('resources/templates/list', {}),
    () => request('resources/read', { uri: 'fuzz://page' }),
    () => request('resources/subscribe', { uri: 'fuzz://page' }),
    () => request('resources/unsubscribe', { uri: 'fuzz://page' }),
    () =>
      request('completion/complete', {
        ref: { type: 'ref/prompt', name: 'riddle' },
        argument: { name: 'about', value: 'a' },
      }),
    () => request('logging/setLevel', { level: 'debug' }),
    () => request('initialize', initialize),
    () => notification('notifications/initialized'),
    () => notification('notifications/cancelled', { requestId: liveId, reason: 'enough' }),
    () => notification('notifications/progress', { progressToken: id, progress: 1, total: 2, message: 'm' }),
    () => notification('notifications/roots/list_changed'),
    () => ({ jsonrpc: '2.0', id: random.below(50), result: { action: 'accept', content: { answer: 'x' } } }),
    () => ({ jsonrpc: '2.0', id: random.below(50), error: { code: -32_603, message: 'no', data: { a: 1 } } }),
  ])()
}

export const initialize: Fields = {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } },
  clientInfo: { name: 'fuzz', version: '1.0.0' },
}

const prefix = 'io.modelcontextprotocol'

/** The same message as sent by a 2026 client. Responses have no envelope. */
export function withEnvelope(message: Fields): Fields {
  if (message.method === undefined) return message
  const params = Object(message.params) as Record<string, unknown>
  const _meta = {
    ...Object(params._meta),
    [`${prefix}/protocolVersion`]: '2026-07-28',
    [`${prefix}/clientInfo`]: { name: 'fuzz', version: '1.0.0' },
    [`${prefix}/clientCapabilities`]: initialize.capabilities,
  }
  return { ...message, params: { ...params, _meta } }
}

/** A valid message of a server during the call `id`. */
export function serverMessage(random: Random, id: number | string, progressToken: unknown): Fields {
  const notification = (method: string, params?: Fields): Fields => ({ jsonrpc: '2.0', method, params })
  // The client uses the same ids, which must not be confused.
  const request = (method: string, params?: Fields): Fields => ({
    ...notification(method, params),
    id: random.once(2) ? random.below(100) : `of-server-${random.below(1_000)}`,
  })
  const requestedSchema = { type: 'object', properties: { answer: { type: 'string' } } }
  return random.pick<() => Fields>([
    () => ({ jsonrpc: '2.0', id, result: callResult(random) }),
    () => ({ jsonrpc: '2.0', id, result: callResult(random) }),
    () => ({ jsonrpc: '2.0', id, error: errorObject(random) }),
    () => ({ jsonrpc: '2.0', id: random.below(200), result: {} }),
    () => notification('notifications/progress', { progressToken, progress: 1, total: 5, message: 'on it' }),
    () => notification('notifications/message', { level: 'info', logger: 'fuzz', data: { a: [1] } }),
    () => notification('notifications/tools/list_changed'),
    () => notification('notifications/prompts/list_changed'),
    () => notification('notifications/resources/updated', { uri: 'fuzz://page' }),
    () => notification('notifications/cancelled', { requestId: 3, reason: 'none' }),
    () => notification('notifications/elicitation/complete', { elicitationId: 'e' }),
    () => request('ping'),
    () => request('roots/list'),
    () => request('elicitation/create', { mode: 'form', message: 'Which?', requestedSchema }),
    () =>
      request('sampling/createMessage', {
        messages: [{ role: 'user', content: { type: 'text', text: 'x' } }],
        maxTokens: 5,
      }),
  ])()
}

function callResult(random: Random): Fields {
  return random.pick<Fields>([
    { content: [{ type: 'text', text: 'done' }] },
    { content: [{ type: 'text', text: 'failed' }], isError: true, _meta: { 'a/b': { c: [{}] } } },
    { content: [], structuredContent: { rows: [{ id: 1, tags: ['a'] }], next: null } },
    { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png', annotations: { priority: 1 } }] },
    { content: [{ type: 'resource', resource: { uri: 'fuzz://page', text: 'page' } }] },
    { content: [{ type: 'resource_link', uri: 'fuzz://page', name: 'page', description: 'A page.' }] },
  ])
}

function errorObject(random: Random): Fields {
  const message = 'the printer is on fire'
  return random.pick<Fields>([
    { code: -32_050, message, data: { floor: 3, rooms: [1, 2] } },
    { code: -32_602, message, data: { uri: 'fuzz://page' } },
    { code: -32_042, message, data: { elicitations: [{ mode: 'url', url: 'http://127.0.0.1/', message }] } },
    { code: -32_022, message, data: { supported: ['2025-11-25'], requested: 'x' } },
    { code: -32_099, message },
  ])
}

/** Responses to the first requests of a connection. */
export function openingMessages(): readonly Fields[] {
  const discover = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
  return [
    { jsonrpc: '2.0', id: 'server-discover-probe-1', error: { code: -32_601, message: 'Method not found' } },
    { jsonrpc: '2.0', id: 'server-discover-probe-1', result: discover },
    {
      jsonrpc: '2.0',
      id: 0,
      result: { ...initialize, serverInfo, capabilities: allCapabilities, instructions: 'Hi.' },
    },
    { jsonrpc: '2.0', id: 1, result: { tools: [act], nextCursor: 'more' } },
    { jsonrpc: '2.0', id: 2, result: { tools: [act] } },
  ]
}

export const serverInfo = { name: 'fuzz', version: '1.0.0' }
export const allCapabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

/** `act` sends `count` mutated messages, generated from `seed`, and then its response. */
export const act: Fields = {
  name: 'act',
  title: 'Act',
  description: 'Send invalid messages.',
  inputSchema: {
    type: 'object',
    properties: { seed: { type: 'integer' }, count: { type: 'integer' } },
    required: ['seed', 'count'],
  },
}
export const fine: Fields = { name: 'fine', description: 'Do nothing.', inputSchema: { type: 'object' } }

/** The response of a well-behaved server. */
export function validResponse(id: number | string, method: string, params: Fields | undefined): Fields {
  const result = validResult(method, params)
  const error = { code: -32_601, message: 'Method not found' }
  return { jsonrpc: '2.0', id, ...(result === null ? { error } : { result }) }
}

function validResult(method: string, params: Fields | undefined): Fields | null {
  switch (method) {
    case 'initialize':
      return { protocolVersion: params?.protocolVersion, capabilities: allCapabilities, serverInfo }
    case 'tools/list':
      return { tools: [act, fine] }
    case 'tools/call':
      return { content: [{ type: 'text', text: 'done' }] }
    case 'prompts/list':
      return { prompts: [{ name: 'riddle', arguments: [{ name: 'about' }] }] }
    case 'prompts/get':
      return { messages: [{ role: 'user', content: { type: 'text', text: 'What is it?' } }] }
    case 'resources/list':
      return { resources: [{ uri: 'fuzz://page', name: 'page' }] }
    case 'resources/templates/list':
      return { resourceTemplates: [{ uriTemplate: 'fuzz://{name}', name: 'any' }] }
    case 'resources/read':
      return { contents: [{ uri: 'fuzz://page', text: 'page' }] }
    case 'completion/complete':
      return { completion: { values: ['apples'] } }
    case 'ping':
    case 'logging/setLevel':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return {}
    default:
      return null
  }
}
