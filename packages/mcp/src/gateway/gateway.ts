import type { Runtime, Tool } from '@curfew/core'
import { type Clock, messageOf } from '@curfew/core/internal'
import type { JSONRPCNotification, Server } from '@modelcontextprotocol/server'
import type { ListKind } from '../client/connection/create-client.ts'
import { textOfResult } from '../client/connection/result-text.ts'
import type { Upstream } from '../client/upstream.ts'
import { Catalog, type CatalogOptions } from './catalog.ts'
import { ClientConnections } from './client-connections.ts'
import {
  type ClientConversationOptions,
  ConnectionConversation,
  RequestConversations,
} from './client-conversation.ts'
import { ClientSubscriptions } from './client-subscriptions.ts'
import { instructionsFor } from './instructions.ts'
import { ServerLogLevel } from './log-levels.ts'
import { MergedLists } from './merged-lists.ts'
import type { MessageRouter } from './message-router.ts'
import { Readiness } from './readiness.ts'
import { RuntimeCalls } from './runtime-calls.ts'
import { searchTool } from './search-tools.ts'
import { type GatewayServices, Session, type SessionOptions } from './session.ts'
import { SuspendedRequests } from './suspended-requests.ts'

/** Enough for loop detection and logs, where the client gets the result itself. */
const maxLoggedText = 4_096

export interface GatewayParts {
  readonly runtime: Runtime
  readonly router: MessageRouter
  readonly upstreams: readonly Upstream[]
  readonly clock: Clock
  /** How long a suspended request waits for its answers. */
  readonly askTimeoutMs: number
  readonly tools: readonly Tool[]
  /** Tools that could not be loaded, with the reason. */
  readonly missingTools: ReadonlyMap<string, string>
  readonly log: (message: string) => void
  /** The maximum text of a result. */
  readonly maxContentLength: number
  readonly catalog: CatalogOptions
  /** Applies the runtime's settings to a tool. */
  readonly effective: (tool: Tool) => Tool
}

/** Serves tools, and everything else that the servers behind it offer, to any number of clients through one runtime. */
export class Gateway {
  readonly #parts: GatewayParts
  readonly #services: GatewayServices
  readonly #closing = new AbortController()
  readonly #listListeners = new Set<(list: ListKind) => void>()
  readonly #resourceListeners = new Set<(uri: string) => void>()
  readonly #onlyClient = {}
  readonly #logLevel = new ServerLogLevel()
  #clients = 0

  constructor(parts: GatewayParts) {
    this.#parts = parts
    this.#services = this.#createServices()
    for (const upstream of parts.upstreams) {
      this.#listenTo(upstream, upstream)
      if (upstream.config.eager) void this.#services.readiness.start(upstream, 'tools')
    }
  }

  /** Runs the calls of all clients. */
  get runtime(): Runtime {
    return this.#parts.runtime
  }

  #createServices(): GatewayServices {
    const { runtime, router, upstreams, clock, askTimeoutMs, tools, log } = this.#parts
    const { maxContentLength, missingTools, catalog: catalogOptions, effective } = this.#parts
    const { view } = catalogOptions
    const readiness = new Readiness({ upstreams, clock, log, closing: this.#closing.signal })
    const lists = new MergedLists(upstreams)
    const search = view === 'stub' ? [searchTool(() => catalog.entries)] : []
    const catalog: Catalog = new Catalog(runtime, [...search, ...tools], upstreams, catalogOptions, {
      forwardedCall: (callId) => router.requests.get(callId),
      // Clients get the server's result unchanged.
      parts: false,
      effective,
      textOf: (result) => {
        const text = textOfResult(result)
        return text.length > maxContentLength ? text : text.slice(0, maxLoggedText)
      },
    })
    const connections = this.#createConnections()
    router.attachConnections(connections)
    const calls = new RuntimeCalls({
      clock,
      router,
      catalog,
      lists,
      readiness,
      connections,
      view,
      severalServers: upstreams.length > 1,
      maxContentLength,
      missingTools,
    })
    return {
      clock,
      connections,
      router,
      readiness,
      lists,
      catalog,
      calls,
      suspended: new SuspendedRequests(clock, askTimeoutMs),
      subscriptions: new ClientSubscriptions(async (uri, signal) => {
        await readiness.wait(signal, 'all')
        return lists.ownerOfResource(uri)
      }),
      onLogLevel: () => this.#syncLogLevel(),
      recheck: async () => {
        const changed = upstreams.filter(({ state }) => state.changed.length > 0)
        await Promise.all(changed.map((upstream) => upstream.recheck()))
      },
      onRootsChanged: (client) => {
        for (const upstream of upstreams) void connections.find(upstream, client)?.onRootsChanged()
      },
    }
  }

  #createConnections(): ClientConnections {
    const { router } = this.#parts
    return new ClientConnections({
      onlyClient: this.#onlyClient,
      isBusy: (connection) => router.callsAt(connection).open.length > 0,
      open: (shared, key) => {
        const connection: Upstream = shared.instance(
          key,
          router.bridgeFor(() => connection),
        )
        this.#listenTo(connection, shared)
        void connection.setLogLevel(this.#logLevel.current)
        return connection
      },
    })
  }

  /** `connection` is the shared one, or another one to the same server. */
  #listenTo(connection: Upstream, shared: Upstream): void {
    connection.listen({
      onListing: (lists) => this.#onListing(shared, lists),
      onNotification: (notification) => this.#onNotification(connection, notification),
    })
  }

  /** Creates an SDK server for one connected client: the only one, or one of several. */
  createServer(era: 'legacy' | 'modern', kind: 'only' | 'session' = 'only'): Server {
    const { router, subscriptions, connections } = this.#services
    const conversation = new ConnectionConversation(this.#newClient('client'), (question) =>
      router.requestOf(question),
    )
    const client = kind === 'only' ? this.#onlyClient : undefined
    const session = this.#createSession({ era, kind, client, conversation })
    router.sessions.add(session)
    session.server.onclose = () => {
      router.sessions.delete(session)
      subscriptions.removeAll(session)
      if (kind === 'session') connections.end(session.client)
      this.#syncLogLevel()
      conversation.close().catch((error: unknown) => {
        this.#parts.log(`the files of a client could not be removed: ${messageOf(error)}`)
      })
    }
    return session.server
  }

  /** For the requests without a session that have the same token. */
  openRequests(): RequestConversations {
    return new RequestConversations(this.#newClient('token'))
  }

  /** Creates an SDK server for one request of a 2026 client without a session. */
  createRequestServer(requests: RequestConversations): Server {
    return this.#createSession({ era: 'modern', kind: 'request', client: undefined, conversation: requests })
      .server
  }

  #createSession(options: Omit<SessionOptions, 'instructions'>): Session {
    const instructions = instructionsFor(this.#parts.upstreams, this.#parts.catalog.view)
    return new Session(this.#services, { ...options, instructions })
  }

  #newClient(kind: 'client' | 'token'): ClientConversationOptions {
    const { runtime, clock } = this.#parts
    return { runtime, clock, client: `${kind} ${++this.#clients}` }
  }

  /** The input schema of a tool as clients see it. */
  inputSchemaOf(tool: string): unknown {
    return this.#services.catalog.listed(tool)?.inputSchema
  }

  /** For 2026 clients without a session. Returns an unsubscribe function. */
  onListChanged(listener: (list: ListKind) => void): () => void {
    this.#listListeners.add(listener)
    return () => {
      this.#listListeners.delete(listener)
    }
  }

  /** For 2026 clients without a session. Returns an unsubscribe function. */
  onResourceUpdated(listener: (uri: string) => void): () => void {
    this.#resourceListeners.add(listener)
    return () => {
      this.#resourceListeners.delete(listener)
    }
  }

  /** Subscribes to changes of resources for a 2026 client. Returns an unsubscribe function. */
  listen(uris: readonly string[]): () => void {
    return this.#services.subscriptions.listen(uris, (uri, error) => {
      if (!this.#closing.signal.aborted)
        this.#parts.log(`changes of ${uri} are not reported: ${messageOf(error)}`)
    })
  }

  #syncLogLevel(): void {
    const { router, connections } = this.#services
    this.#logLevel.sync(
      [...router.sessions].map(({ logLevel }) => logLevel),
      [...this.#parts.upstreams, ...connections.all],
    )
  }

  #onListing(upstream: Upstream, lists: ReadonlySet<ListKind>): void {
    const { readiness, catalog, router } = this.#services
    for (const list of lists) {
      if (list === 'tools') readiness.onTools(upstream)
      if (list === 'tools' && !catalog.update(upstream)) continue
      for (const session of router.sessions) session.sendListChanged(list)
      for (const listener of this.#listListeners) listener(list)
    }
  }

  #onNotification(upstream: Upstream, notification: JSONRPCNotification): void {
    this.#services.router.onNotification(upstream, notification)
    if (notification.method !== 'notifications/resources/updated') return
    for (const listener of this.#resourceListeners) listener(String(notification.params?.uri))
  }

  /** Cancels all calls and stops all servers. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('Curfew is exiting'))
    const { suspended, connections } = this.#services
    suspended.close()
    await this.#parts.runtime.close()
    await Promise.all([connections.close(), ...this.#parts.upstreams.map((upstream) => upstream.close())])
  }
}
