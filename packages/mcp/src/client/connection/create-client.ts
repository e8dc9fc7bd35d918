import {
  Client,
  type JSONRPCNotification,
  type jsonSchemaValidator,
  type Transport,
} from '@modelcontextprotocol/client'
import { version } from '../../version.ts'
import type { BridgedMethod, ClientBridge } from './client-bridge.ts'

/** What a server says without being asked. */
export interface ServerEvents {
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
export function createClient(bridge: ClientBridge | undefined, news: ServerEvents, probeMs: number): Client {
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
