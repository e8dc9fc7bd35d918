import {
  Client,
  type JSONRPCNotification,
  type jsonSchemaValidator,
  type Transport,
} from '@modelcontextprotocol/client'
import { version } from '../../version.ts'
import type { ConnectionEnding } from '../transport/connection-ending.ts'
import type { BridgedMethod, ClientBridge } from './client-bridge.ts'

/** A client on its transport. */
export interface Connection {
  readonly client: Client
  readonly transport: Transport
  /** Why it ended, for error messages; `null` if unknown. */
  ending(): ConnectionEnding | null
}

/** Callbacks for what a server sends unsolicited. */
export interface ServerEvents {
  onListChanged(list: ListKind): void
  onNotification(notification: JSONRPCNotification): void
  /** Called with an error that no request is rejected with. */
  onError(error: Error): void
}

export type ListKind = 'tools' | 'prompts' | 'resources'

/** Results are forwarded as they are; the client that receives them validates them. */
const noValidator: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

/** Notifications that are forwarded unchanged. */
const forwarded = [
  'notifications/message',
  'notifications/resources/updated',
  'notifications/elicitation/complete',
] as const

/** Creates an SDK client that forwards the server's requests to the bridge and its notifications to `events`. */
export function createClient(
  bridge: ClientBridge | undefined,
  events: ServerEvents,
  probeMs: number,
): Client {
  const changed = (list: ListKind) => ({
    autoRefresh: false,
    debounceMs: 50,
    onChanged: () => events.onListChanged(list),
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
  client.onerror = (error) => events.onError(error)
  for (const method of forwarded) {
    client.setNotificationHandler(method, (notification) =>
      events.onNotification({ jsonrpc: '2.0', ...notification } as JSONRPCNotification),
    )
  }
  if (bridge !== undefined) forwardRequests(client, bridge)
  return client
}

function forwardRequests(client: Client, bridge: ClientBridge): void {
  const { elicitation, sampling, roots } = bridge.capabilities
  const forward = (method: BridgedMethod): void => {
    client.setRequestHandler(
      method,
      (request, { mcpReq }) =>
        bridge.request(method, withoutProgressToken(request.params), mcpReq.signal) as never,
    )
  }
  if (elicitation !== undefined) forward('elicitation/create')
  if (sampling !== undefined) forward('sampling/createMessage')
  if (roots !== undefined) forward('roots/list')
}

/** A progress token is valid only on the connection that it was sent on. */
function withoutProgressToken(params: Record<string, unknown> = {}): Record<string, unknown> {
  const { _meta, ...rest } = params
  const { progressToken: _, ...meta } = (_meta ?? {}) as Record<string, unknown>
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta }
}
