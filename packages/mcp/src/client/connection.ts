import {
  Client,
  type ClientCapabilities,
  type JSONRPCNotification,
  type jsonSchemaValidator,
  type Transport,
} from '@modelcontextprotocol/client'
import { version } from '../version.ts'

/** Whoever answers what a server asks of its client: a person, a model, the folders that it may use. */
export interface ClientBridge {
  readonly capabilities: ClientCapabilities
  request(
    method: BridgedMethod,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>
}

/** Everything that we can pass on. Servers have more or fewer tools by what their client can do. */
export const bridgedCapabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: { listChanged: true },
}

/** For those who only look: a server shows what it has, and finds nobody at home. */
export const nobodyToAsk: ClientBridge = {
  capabilities: bridgedCapabilities,
  async request(method) {
    if (method === 'roots/list') return { roots: [] }
    throw new Error('there is nobody to ask')
  },
}

export type BridgedMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list'

/** What a server says without being asked. */
export interface ServerNews {
  onListChanged(list: ListKind): void
  onNotification(notification: JSONRPCNotification): void
  /** Something was wrong, and nobody waits for it. */
  onError(error: Error): void
}

export type ListKind = 'tools' | 'prompts' | 'resources'

/** What comes on is passed on: whoever asked looks at it. */
const noValidator: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

/** Forwarded as they come. */
const forwarded = [
  'notifications/message',
  'notifications/resources/updated',
  'notifications/elicitation/complete',
] as const

/** An SDK client that passes on what it is asked and told. */
export function createClient(bridge: ClientBridge | undefined, news: ServerNews, probeMs: number): Client {
  const changed = (list: ListKind) => ({
    autoRefresh: false,
    debounceMs: 50,
    onChanged: () => news.onListChanged(list),
  })
  const client = new Client(
    { name: 'curfew', version },
    {
      capabilities: bridge?.capabilities ?? {},
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeMs } },
      jsonSchemaValidator: noValidator,
      listChanged: { tools: changed('tools'), prompts: changed('prompts'), resources: changed('resources') },
    },
  )
  client.onerror = (error) => news.onError(error)
  for (const method of forwarded) {
    client.setNotificationHandler(method, (notification) =>
      news.onNotification({ jsonrpc: '2.0', ...notification } as JSONRPCNotification),
    )
  }
  if (bridge !== undefined) serveBridge(client, bridge)
  return client
}

function serveBridge(client: Client, bridge: ClientBridge): void {
  const { elicitation, sampling, roots } = bridge.capabilities
  const serve = (method: BridgedMethod): void => {
    client.setRequestHandler(
      method,
      (request, { mcpReq }) => bridge.request(method, ownParams(request.params), mcpReq.signal) as never,
    )
  }
  if (elicitation !== undefined) serve('elicitation/create')
  if (sampling !== undefined) serve('sampling/createMessage')
  if (roots !== undefined) serve('roots/list')
}

/** Progress is reported from one to the next: their token means nothing to somebody else. */
function ownParams(params: Record<string, unknown> = {}): Record<string, unknown> {
  const { _meta, ...rest } = params
  const { progressToken: _, ...meta } = (_meta ?? {}) as Record<string, unknown>
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta }
}

/** A client on its transport. */
export interface Connection {
  readonly client: Client
  readonly transport: Transport
  /** Why it ended, for the text of an error; `null` where nothing is known. */
  ending(): string | null
}
