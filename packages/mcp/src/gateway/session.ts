import type { Clock } from '@curfew/core/internal'
import {
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
import type { Upstream } from '../client/upstream.ts'
import { version } from '../version.ts'
import type { Catalog } from './catalog.ts'
import type { ClientConnections } from './client-connections.ts'
import { ClientRequest, type ClientRequestHost, type LogMessage, suspendedPrefix } from './client-request.ts'
import type { ClientSubscriptions } from './client-subscriptions.ts'
import type { Fields } from './json-object.ts'
import { passesLevel } from './log-levels.ts'
import type { MergedLists } from './merged-lists.ts'
import type { MessageRouter } from './message-router.ts'
import type { Readiness } from './readiness.ts'
import type { CallTurn, ForwardedMethod, RuntimeCalls } from './runtime-calls.ts'
import type { SuspendedRequests } from './suspended-requests.ts'
import type { TurnClock } from './turn-clock.ts'

/** What there is once for all clients. */
export interface GatewayServices {
  readonly clock: Clock
  readonly routes: MessageRouter
  readonly readiness: Readiness
  readonly catalog: Catalog
  readonly lists: MergedLists
  readonly calls: RuntimeCalls
  readonly parked: SuspendedRequests
  readonly subscriptions: ClientSubscriptions
  readonly connections: ClientConnections
  /** A client wants to hear more, or less, of the log. */
  onLogLevel(): void
  /** A client has other folders than before. */
  onRootsChanged(client: object): void
  /** Somebody may have approved what servers have changed. */
  recheck(): Promise<void>
}

/** `only`: the one client of a gateway; `session`: one of several; `request`: a request that stands for itself. */
export type ClientKind = 'only' | 'session' | 'request'

export interface SessionOptions {
  readonly era: 'legacy' | 'modern'
  readonly kind: ClientKind
  /** Of the only client; others are told apart by their session. */
  readonly client: object | undefined
  /** For a `request`, the turn that its calls are counted in. */
  readonly turn: TurnClock
  /** What the client is told about us; `null` if there is nothing to say. */
  readonly instructions: string | null
}

/** One client: a connection, or, for a client of 2026 over HTTP, one request. */
export class Session implements ClientRequestHost {
  readonly server: Server
  readonly era: 'legacy' | 'modern'
  readonly clock: Clock
  readonly kind: ClientKind
  readonly client: object
  readonly #shared: GatewayServices
  readonly #turn: TurnClock
  #logLevel: LoggingLevel | undefined

  constructor(shared: GatewayServices, { era, kind, client, turn, instructions }: SessionOptions) {
    this.#shared = shared
    this.kind = kind
    this.client = client ?? this
    this.clock = shared.clock
    this.#turn = turn
    this.era = era
    this.server = new Server(
      { name: 'curfew', title: 'Curfew', version },
      {
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          completions: {},
          logging: {},
        },
        ...(instructions !== null && { instructions }),
        debouncedNotificationMethods: [
          'notifications/tools/list_changed',
          'notifications/prompts/list_changed',
          'notifications/resources/list_changed',
        ],
      },
    )
    this.#serveLists()
    this.#serveRequests()
    if (era === 'legacy') this.#serveWishes()
  }

  #serveLists(): void {
    const { server } = this
    const { readiness, catalog, lists, recheck } = this.#shared
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

  #serveRequests(): void {
    const { calls } = this.#shared
    this.server.setRequestHandler('tools/call', ({ params }, context) =>
      this.#exchange(context, `tools/call ${params.name}`, (exchange) =>
        calls.call(exchange, params.name, params.arguments ?? {}, this.#countedIn()),
      ),
    )
    this.server.setRequestHandler('prompts/get', ({ params }, context) =>
      this.#forward('prompts/get', params, context),
    )
    this.server.setRequestHandler('resources/read', ({ params }, context) =>
      this.#forward('resources/read', params, context),
    )
    // A server may ask here too, though the protocol does not think of it.
    this.server.setRequestHandler(
      'completion/complete',
      ({ params }, context) =>
        this.#forward('completion/complete', params, context) as Promise<CompleteResult>,
    )
  }

  /** What a client of 2026 says otherwise: with each request, or by listening. */
  #serveWishes(): void {
    const { server } = this
    const { subscriptions, onLogLevel, onRootsChanged } = this.#shared
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

  /** A request without a session is a turn of its own: what a person allows or stops there holds for nothing else. */
  #countedIn(): CallTurn {
    const turn = this.#turn.now()
    return this.lasting ? { turn } : { budget: turn }
  }

  async #forward<M extends ForwardedMethod>(
    method: M,
    params: Fields,
    context: ServerContext,
  ): Promise<HandlerResultTypeMap[M] | InputRequiredResult> {
    return await this.#exchange(context, `${method} ${subjectOf(params)}`, (exchange) =>
      this.#shared.calls.forward(exchange, method, params, this.#countedIn()),
    )
  }

  /** Serves one request; or goes on with one that waited for the answers which come with this one. */
  async #exchange<R>(
    context: ServerContext,
    subject: string,
    work: (exchange: ClientRequest) => Promise<R>,
  ): Promise<R | InputRequiredResult> {
    const state = context.mcpReq.requestState<unknown>()
    if (typeof state === 'string' && state.startsWith(suspendedPrefix)) {
      const parked = this.#shared.parked.get(state)
      // The subject names the method, so it is the result of the same kind of request.
      if (parked?.subject === subject) return (await parked.resume(context)) as R | InputRequiredResult
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState')
    }
    const exchange = new ClientRequest(this, context, subject)
    return await exchange.run(() => work(exchange))
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

  get lasting(): boolean {
    return this.kind !== 'request'
  }

  connectionFor(exchange: ClientRequest, upstream: Upstream): Upstream {
    return this.#shared.connections.get(upstream, exchange)
  }

  async beforeSend(connection: Upstream, signal: AbortSignal): Promise<void> {
    await this.#shared.routes.rootsSettled(connection, signal)
  }

  onSent(exchange: ClientRequest, upstream: Upstream): (answered: boolean) => void {
    return this.#shared.routes.onSent(exchange, upstream)
  }

  park(exchange: ClientRequest, state: string): void {
    this.#shared.parked.add(exchange, state)
  }

  unpark(state: string): void {
    this.#shared.parked.remove(state)
  }

  get logLevel(): LoggingLevel | undefined {
    return this.#logLevel
  }

  get canListRoots(): boolean {
    return this.capabilities?.roots !== undefined
  }

  async listRoots(params: ListRootsRequest['params'], signal: AbortSignal): Promise<Fields> {
    return await this.server.listRoots(params, { signal })
  }

  sendListChanged(list: ListKind): void {
    this.send({ method: `notifications/${list}/list_changed` })
  }

  sendLog(message: LogMessage): void {
    if (this.era === 'legacy' && passesLevel(message.level, this.#logLevel, 'legacy'))
      this.send({ method: 'notifications/message', params: { ...message } })
  }

  sendResourceUpdated(params: Fields): void {
    // To those of 2026 the SDK sends only what they listen for.
    if (this.era === 'modern' || this.#shared.subscriptions.has(String(params.uri), this))
      this.send({ method: 'notifications/resources/updated', params })
  }

  /** A client that is gone, or that knows no such thing, does not hear it. */
  send(notification: { readonly method: string; readonly params?: Fields }): void {
    this.server.notification(notification).catch(() => {})
  }
}

function subjectOf({ name, uri, ref }: Fields): string {
  return JSON.stringify([name, uri, ref])
}
