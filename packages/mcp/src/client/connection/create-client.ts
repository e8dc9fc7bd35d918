import {
  Client,
  type ClientOptions,
  type JSONRPCNotification,
  type jsonSchemaValidator,
  type Progress,
  type Transport,
} from '@modelcontextprotocol/client'
import { version } from '../../version.ts'
import type { ConnectionEnding } from '../transport/connection-ending.ts'
import type { BridgedMethod, ClientBridge } from './client-bridge.ts'

/** A client on its transport. */
export interface Connection {
  readonly client: Client
  readonly transport: Transport
  /** `undefined` for a remote server. */
  readonly pid?: number | undefined
  /** Why it ended, for error messages; `null` if unknown. */
  ending(): ConnectionEnding | null
  /** Forwards the progress of a task until the signal is aborted. Returns the token for the request that creates it. */
  watchProgress(listener: (progress: Progress) => void, until: AbortSignal): string
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
  negotiation: Pick<ClientOptions, 'versionNegotiation' | 'supportedProtocolVersions'>,
): Client {
  const client = new Client(
    { name: 'curfew', version },
    {
      capabilities: bridge?.capabilities ?? {},
      ...negotiation,
      jsonSchemaValidator: noValidator,
    },
  )
  client.onerror = (error) => events.onError(error)
  // With its option `listChanged`, the SDK's client would wait until a 2026 server has accepted the subscription.
  for (const list of ['tools', 'prompts', 'resources'] as const)
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => events.onListChanged(list))
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
