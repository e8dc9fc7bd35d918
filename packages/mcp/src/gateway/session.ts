import type { Turn } from '@curfew/core'
import {
  type CallToolResult,
  type ClientCapabilities,
  type CompleteResult,
  type HandlerResultTypeMap,
  type InputRequiredResult,
  type ListRootsRequest,
  type LoggingLevel,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { ListKind } from '../client/connection/create-client.ts'
import type { ClientConversation } from './client-conversation.ts'
import {
  ClientRequest,
  type ClientRequestOptions,
  type LogMessage,
  type RequestingClient,
  type RequestServices,
} from './client-request.ts'
import type { ClientSubscriptions } from './client-subscriptions.ts'
import { describeGateway } from './describe-gateway.ts'
import type { JsonObject } from './json-object.ts'
import { passesLevel } from './log-levels.ts'
import type { MergedLists } from './merged-lists.ts'
import type { Readiness } from './readiness.ts'
import type { ForwardedMethod, RuntimeCalls } from './runtime-calls.ts'
import type { Scope } from './scope.ts'
import type { ServedTools } from './scoped-catalog.ts'
import { suspendedPrefix } from './suspended-requests.ts'
import { handleLegacyTasks, handleModernTasks } from './task-requests.ts'

/** What all sessions with the same scope share. */
export interface GatewayServices extends RequestServices {
  /** What the client can see and use. */
  readonly scope: Scope
  readonly readiness: Pick<Readiness, 'wait'>
  readonly catalog: ServedTools
  readonly lists: MergedLists
  readonly calls: RuntimeCalls
  readonly subscriptions: ClientSubscriptions
  /** A client has changed its log level. */
  onLogLevel(): void
  /** A client has changed its roots. */
  onRootsChanged(client: object): void
  /** Rereads the approvals of changed tools. */
  recheck(): Promise<void>
}

/** `only`: the one client of a gateway; `session`: one of several; `request`: a single request without a session. */
export type ClientKind = 'only' | 'session' | 'request'

export interface SessionOptions {
  readonly era: 'legacy' | 'modern'
  readonly kind: ClientKind
  /** Identifies the client. @default the session */
  readonly client: object | undefined
  /** Where its calls run. */
  readonly conversation: ClientConversation
  /** Instructions for the client's model, if any. */
  readonly instructions: string | null
}

/** One client: a connection, or, for a 2026 client over HTTP, one request. */
export class Session implements RequestingClient {
  readonly server: Server
  readonly era: 'legacy' | 'modern'
  readonly kind: ClientKind
  readonly client: object
  readonly #services: GatewayServices
  readonly #conversation: ClientConversation
  #logLevel: LoggingLevel | undefined

  constructor(services: GatewayServices, { era, kind, client, conversation, instructions }: SessionOptions) {
    this.#services = services
    this.kind = kind
    this.client = client ?? this
    this.#conversation = conversation
    this.era = era
    const { serverInfo, ...description } = describeGateway(era, instructions)
    this.server = new Server(serverInfo, {
      ...description,
      debouncedNotificationMethods: [
        'notifications/tools/list_changed',
        'notifications/prompts/list_changed',
        'notifications/resources/list_changed',
      ],
    })
    this.#handleLists()
    this.#handleRequests()
    if (era === 'legacy') this.#handleLegacyRequests()
    else handleModernTasks(this.server, { tasks: services.tasks, owner: this.owner })
  }

  /** A connection, or all requests with the same token. */
  get owner(): object {
    return this.#conversation
  }

  #handleLists(): void {
    const { server } = this
    const { readiness, catalog, lists, recheck } = this.#services
    server.setRequestHandler('tools/list', async (_, { mcpReq }) => {
      await readiness.wait(mcpReq.signal, 'tools')
      await recheck()
      return { tools: [...catalog.list] }
    })
    server.setRequestHandler('prompts/list', async (_, { mcpReq }) => {
      await readiness.wait(mcpReq.signal, 'all')
      return { prompts: lists.prompts() }
    })
    server.setRequestHandler('resources/list', async (_, { mcpReq }) => {
      await readiness.wait(mcpReq.signal, 'all')
      return { resources: lists.resources() }
    })
    server.setRequestHandler('resources/templates/list', async (_, { mcpReq }) => {
      await readiness.wait(mcpReq.signal, 'all')
      return { resourceTemplates: lists.templates() }
    })
  }

  #handleRequests(): void {
    const { calls } = this.#services
    this.server.setRequestHandler('tools/call', async ({ params }, context) => {
      const { name, arguments: args = {} } = params
      const asTask = this.era === 'legacy' && 'task' in params && params.task !== undefined
      if (asTask) await calls.checkTask(name, this.owner, context.mcpReq.signal)
      const options = { subject: `tools/call ${name}`, asTask }
      return await this.#serve(context, options, async (request, turn) =>
        this.#toResult(name, await calls.call(request, turn, name, args)),
      )
    })
    this.server.setRequestHandler('prompts/get', ({ params }, context) =>
      this.#forward('prompts/get', params, context),
    )
    this.server.setRequestHandler('resources/read', ({ params }, context) =>
      this.#forward('resources/read', params, context),
    )
    // The protocol does not allow questions here, but a server may ask nevertheless.
    this.server.setRequestHandler(
      'completion/complete',
      ({ params }, context) =>
        this.#forward('completion/complete', params, context) as Promise<CompleteResult>,
    )
  }

  /** For a 2025 client, a result that is not an object is wrapped in one, as the SDK does with the output schema in the list. */
  #toResult(tool: string, result: CallToolResult): CallToolResult {
    if (this.era === 'modern') return result
    return this.server.projectCallToolResult(result, this.#services.catalog.listed(tool)?.outputSchema)
  }

  /** A 2026 client sends this data with each request or through `subscriptions/listen`. */
  #handleLegacyRequests(): void {
    const { server, owner } = this
    const { subscriptions, onLogLevel, onRootsChanged, tasks } = this.#services
    handleLegacyTasks(server, { tasks, owner })
    server.setRequestHandler('resources/subscribe', async ({ params }, { mcpReq }) => {
      await subscriptions.add(params.uri, this, mcpReq.signal)
      return {}
    })
    server.setRequestHandler('resources/unsubscribe', async ({ params }) => {
      await subscriptions.remove(params.uri, this)
      return {}
    })
    server.setRequestHandler('logging/setLevel', async ({ params }) => {
      this.#logLevel = params.level
      onLogLevel()
      return {}
    })
    server.setNotificationHandler('notifications/roots/list_changed', () => onRootsChanged(this.client))
  }

  async #forward<M extends ForwardedMethod>(
    method: M,
    params: JsonObject,
    context: ServerContext,
  ): Promise<HandlerResultTypeMap[M] | InputRequiredResult> {
    const options = { subject: `${method} ${JSON.stringify([params.name, params.uri, params.ref])}` }
    return await this.#serve(context, options, (request, turn) =>
      this.#services.calls.forward(request, turn, method, params),
    )
  }

  /** Serves one request, or continues a suspended one whose answers this one contains. */
  async #serve<R>(
    context: ServerContext,
    options: ClientRequestOptions,
    work: (request: ClientRequest, turn: Turn) => Promise<R>,
  ): Promise<R | InputRequiredResult> {
    const state = context.mcpReq.requestState<unknown>()
    if (typeof state === 'string' && state.startsWith(suspendedPrefix)) {
      const suspended = this.#services.suspended.get(state)
      // The subject contains the method, so the result has the right type.
      if (suspended?.subject === options.subject)
        return (await suspended.resume(context)) as R | InputRequiredResult
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState')
    }
    const request = new ClientRequest(this, this.#services, context, options)
    return await request.run(() => this.#conversation.run(request, (turn) => work(request, turn)))
  }

  get scope(): Scope {
    return this.#services.scope
  }

  get capabilities(): ClientCapabilities | undefined {
    return this.era === 'legacy' ? this.server.getClientCapabilities() : undefined
  }

  get isListening(): boolean {
    if (this.kind === 'request') return false
    // Only the transport of an HTTP session can lack a stream.
    const transport = this.server.transport as { readonly isListening?: boolean } | undefined
    return transport !== undefined && transport.isListening !== false
  }

  /** Nothing shows which requests without a session come from the same client, except for their token. */
  get instanceOwner(): object {
    return this.lasting ? this.client : this.#conversation
  }

  get lasting(): boolean {
    return this.kind !== 'request'
  }

  get logLevel(): LoggingLevel | undefined {
    return this.#logLevel
  }

  get canListRoots(): boolean {
    return this.capabilities?.roots !== undefined
  }

  async listRoots(params: ListRootsRequest['params'], signal: AbortSignal): Promise<JsonObject> {
    return await this.server.listRoots(params, { signal })
  }

  sendListChanged(list: ListKind): void {
    this.send({ method: `notifications/${list}/list_changed` })
  }

  sendLog(message: LogMessage): void {
    if (this.era === 'legacy' && passesLevel(message.level, this.#logLevel, 'legacy'))
      this.send({ method: 'notifications/message', params: { ...message } })
  }

  sendResourceUpdated(params: JsonObject): void {
    // For 2026 clients, the SDK filters by what they listen for.
    if (this.era === 'modern' || this.#services.subscriptions.has(String(params.uri), this))
      this.send({ method: 'notifications/resources/updated', params })
  }

  /** Errors are ignored: the client may have disconnected. */
  send(notification: { readonly method: string; readonly params?: JsonObject }): void {
    this.server.notification(notification).catch(() => {})
  }
}
