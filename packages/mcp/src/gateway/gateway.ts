import type { Runtime, Tool } from '@curfew/core'
import { type Clock, messageOf } from '@curfew/core/internal'
import type { JSONRPCNotification, Server, Tool as ToolDefinition } from '@modelcontextprotocol/server'
import type { ListKind } from '../client/connection/create-client.ts'
import { textOfResult } from '../client/connection/result-text.ts'
import type { Upstream } from '../client/upstream.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { Catalog, type CatalogEntry, type CatalogOptions } from './catalog.ts'
import { ClientConnections } from './client-connections.ts'
import {
  type ClientConversationOptions,
  ConnectionConversation,
  RequestConversations,
} from './client-conversation.ts'
import { ClientSubscriptions } from './client-subscriptions.ts'
import { ClientTasks } from './client-tasks.ts'
import { describeGateway, type GatewayDescription } from './describe-gateway.ts'
import { instructionsFor } from './instructions.ts'
import { ServerLogLevel } from './log-levels.ts'
import { MergedLists } from './merged-lists.ts'
import type { MessageRouter } from './message-router.ts'
import { Readiness } from './readiness.ts'
import { RuntimeCalls } from './runtime-calls.ts'
import { type Profile, Scope } from './scope.ts'
import { ScopedCatalog } from './scoped-catalog.ts'
import { type ServerChanges, ServerSet, type ServerSetChange } from './server-set.ts'
import { serversIn } from './servers-in.ts'
import { type GatewayServices, Session, type SessionOptions } from './session.ts'
import { SuspendedRequests } from './suspended-requests.ts'
import { toolsOfView } from './tools-of-view.ts'

/** Enough for loop detection and logs, where the client gets the result itself. */
const maxLoggedText = 4_096

export interface GatewayParts {
  readonly runtime: Runtime
  readonly router: MessageRouter
  /** The servers at the start. */
  readonly upstreams: readonly Upstream[]
  /** Creates another server without starting it. */
  readonly openUpstream: (config: ServerConfig) => Promise<Upstream>
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
  /** What is served; `null` for everything. */
  readonly profile: Profile | null
  /** Applies the runtime's settings to a tool. */
  readonly effective: (tool: Tool) => Tool
}

interface SharedServices {
  readonly readiness: Readiness
  readonly catalog: Catalog
  readonly connections: ClientConnections
}

interface ScopeServices extends GatewayServices {
  readonly catalog: ScopedCatalog
  /** Of 2026 clients without a session. */
  readonly listListeners: Set<(list: ListKind) => void>
  readonly resourceListeners: Set<(uri: string) => void>
}

/** Registers what is called when a client has gone without ending its session, and when it is back. */
export type OnPresence = (listener: (isPresent: boolean) => void) => void

/** The answers to a client's first requests. */
export interface GatewayOpening {
  readonly description: GatewayDescription
  readonly tools: readonly ToolDefinition[]
}

/** Serves tools, and everything else that the servers behind it offer, to any number of clients through one runtime. */
export class Gateway {
  readonly #parts: GatewayParts
  readonly #servers: ServerSet
  readonly #scope: Scope
  /** What all clients share. */
  readonly #shared: SharedServices
  readonly #services = new Map<Scope, ScopeServices>()
  readonly #closing = new AbortController()
  readonly #onlyClient = {}
  readonly #logLevel = new ServerLogLevel()
  #clients = 0

  constructor(parts: GatewayParts) {
    this.#parts = parts
    this.#servers = new ServerSet(parts.upstreams, {
      runtime: parts.runtime,
      open: parts.openUpstream,
      closeConnections: (upstream) => this.#shared.connections.remove(upstream),
      onChange: (change) => this.#onServersChanged(change),
    })
    this.#scope = new Scope(parts.profile)
    this.#shared = this.#createShared()
    for (const upstream of parts.upstreams) {
      this.#listenTo(upstream, upstream)
      if (upstream.config.eager) void this.#shared.readiness.start(upstream, 'tools')
    }
  }

  /** Runs the calls of all clients. */
  get runtime(): Runtime {
    return this.#parts.runtime
  }

  /** The current servers, in the order of the configuration. */
  get upstreams(): readonly Upstream[] {
    return this.#servers.upstreams
  }

  /** The connections to a server: the shared one, and those of single clients. */
  connectionsTo(upstream: Upstream): readonly Upstream[] {
    const own = this.#shared.connections.all.filter(({ state }) => state === upstream.state)
    return [upstream, ...own]
  }

  /**
   * Adds, removes and replaces servers, so that exactly these remain. Open calls of a removed or replaced server end as usual, and then
   * it is closed; an unchanged server is not touched.
   */
  async setServers(servers: readonly ServerConfig[]): Promise<ServerChanges> {
    return await this.#servers.set(servers.filter(({ name }) => this.#scope.needs(name)))
  }

  /** New calls of a server go to a new process or connection; the old one ends after its open calls. Returns false if it is unknown. */
  async restart(server: string): Promise<boolean> {
    return await this.#servers.restart(server)
  }

  #createShared(): SharedServices {
    const { runtime, router, clock, tools, log, maxContentLength, effective } = this.#parts
    const { catalog: catalogOptions } = this.#parts
    const servers = this.#servers
    const readiness = new Readiness({ servers, clock, log, closing: this.#closing.signal })
    const viewTools = toolsOfView(catalogOptions.view, (uid) => this.#entriesFor(uid))
    const catalog = new Catalog(runtime, [...viewTools, ...tools], servers, catalogOptions, {
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
    router.attach(connections)
    return { readiness, catalog, connections }
  }

  /** The tools that the client of a call can use. */
  #entriesFor(callUid: number): Iterable<CatalogEntry> {
    const request = this.#parts.router.requestOf({ callUid })
    return request === undefined ? [] : this.#servicesFor(request.scope).catalog.entries
  }

  #servicesFor(scope: Scope): ScopeServices {
    const services = this.#services.get(scope) ?? this.#createServices(scope)
    this.#services.set(scope, services)
    return services
  }

  #createServices(scope: Scope): ScopeServices {
    const { router, clock, askTimeoutMs, maxContentLength, missingTools, catalog: options } = this.#parts
    const { connections } = this.#shared
    const isEverything = scope.profile === null
    const servers = isEverything ? this.#servers : serversIn(this.#servers, (name) => scope.needs(name))
    const readiness = this.#shared.readiness.of(servers)
    const catalog = new ScopedCatalog(this.#shared.catalog, scope)
    const lists = new MergedLists(serversIn(servers, (name) => scope.hasServer(name)))
    const tasks = new ClientTasks()
    const calls = new RuntimeCalls({
      clock,
      router,
      catalog,
      lists,
      readiness,
      connections,
      tasks,
      view: options.view,
      servers,
      maxContentLength,
      missingTools: new Map([...missingTools].filter(([name]) => scope.hasOwnTool(name))),
    })
    return {
      scope,
      clock,
      connections,
      router,
      readiness,
      lists,
      catalog,
      calls,
      tasks,
      suspended: new SuspendedRequests(clock, askTimeoutMs),
      subscriptions: new ClientSubscriptions(
        async (uri, signal) => {
          await readiness.wait(signal, 'all')
          return lists.ownerOfResource(uri)
        },
        (upstream, uri) =>
          [...this.#services].some(
            ([other, { subscriptions }]) => other !== scope && subscriptions.uses(upstream, uri),
          ),
      ),
      listListeners: new Set(),
      resourceListeners: new Set(),
      onLogLevel: () => this.#syncLogLevel(),
      recheck: async () => {
        await Promise.all(servers.upstreams.map((upstream) => upstream.recheck()))
      },
      onRootsChanged: (client) => {
        for (const upstream of servers.upstreams) void connections.find(upstream, client)?.onRootsChanged()
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

  /** For clients that are served only a profile. */
  scopeOf(profile: Profile): Scope {
    return new Scope(profile)
  }

  /** Creates an SDK server for one connected client: the only one, or one of several. */
  createServer(
    era: 'legacy' | 'modern',
    kind: 'only' | 'session' = 'only',
    scope: Scope = this.#scope,
    onPresence: OnPresence = () => {},
  ): Server {
    const { router, subscriptions, connections, tasks } = this.#servicesFor(scope)
    const conversation = new ConnectionConversation(this.#newClient('client'), (question) =>
      router.requestOf(question),
    )
    const client = kind === 'only' ? this.#onlyClient : undefined
    const session = this.#createSession({ era, kind, client, conversation }, scope)
    router.sessions.add(session)
    onPresence((isPresent) => connections.setPresent(session.client, isPresent))
    session.server.onclose = () => {
      router.sessions.delete(session)
      subscriptions.removeAll(session)
      if (kind === 'session') connections.end(session.client)
      tasks.end(session.owner)
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
  createRequestServer(requests: RequestConversations, scope: Scope = this.#scope): Server {
    const options = { era: 'modern', kind: 'request', client: undefined, conversation: requests } as const
    return this.#createSession(options, scope).server
  }

  #createSession(options: Omit<SessionOptions, 'instructions'>, scope: Scope): Session {
    return new Session(this.#servicesFor(scope), { ...options, instructions: this.#instructionsFor(scope) })
  }

  #instructionsFor(scope: Scope): string | null {
    const visible = this.upstreams.filter(({ name }) => scope.hasServer(name))
    return instructionsFor(visible, this.#parts.catalog.view, this.#servicesFor(scope).catalog)
  }

  /** What a new client is told; `null` if the tools are not known yet, or a server could already ask the client something. */
  get opening(): GatewayOpening | null {
    if (this.#shared.readiness.missing.length > 0) return null
    if (this.upstreams.some(({ config, state }) => config.eager || state.needsApproval)) return null
    const { list } = this.#servicesFor(this.#scope).catalog
    return { description: describeGateway('legacy', this.#instructionsFor(this.#scope)), tools: list }
  }

  #newClient(kind: 'client' | 'token'): ClientConversationOptions {
    const { runtime, clock } = this.#parts
    return { runtime, clock, client: `${kind} ${++this.#clients}` }
  }

  /** The input schema of a tool as clients see it. */
  inputSchemaOf(tool: string, scope: Scope = this.#scope): unknown {
    return this.#servicesFor(scope).catalog.listed(tool)?.inputSchema
  }

  /** For 2026 clients without a session. Returns an unsubscribe function. */
  onListChanged(listener: (list: ListKind) => void, scope: Scope = this.#scope): () => void {
    const { listListeners } = this.#servicesFor(scope)
    listListeners.add(listener)
    return () => void listListeners.delete(listener)
  }

  /** For 2026 clients without a session. Returns an unsubscribe function. */
  onResourceUpdated(listener: (uri: string) => void, scope: Scope = this.#scope): () => void {
    const { resourceListeners } = this.#servicesFor(scope)
    resourceListeners.add(listener)
    return () => void resourceListeners.delete(listener)
  }

  /** Subscribes to changes of resources for a 2026 client. Returns an unsubscribe function. */
  listen(uris: readonly string[], scope: Scope = this.#scope): () => void {
    const { subscriptions } = this.#servicesFor(scope)
    return subscriptions.listen(uris, (uri, error) => this.#onSubscriptionFailed(uri, error))
  }

  #onSubscriptionFailed(uri: string, error: unknown): void {
    if (!this.#closing.signal.aborted)
      this.#parts.log(`changes of ${uri} are not reported: ${messageOf(error)}`)
  }

  #syncLogLevel(): void {
    const { router } = this.#parts
    const { connections } = this.#shared
    this.#logLevel.sync(
      [...router.sessions].map(({ logLevel }) => logLevel),
      [...this.upstreams, ...connections.all],
    )
  }

  #onListing(upstream: Upstream, lists: ReadonlySet<ListKind>): void {
    const { readiness, catalog } = this.#shared
    for (const list of lists) {
      if (list === 'tools') readiness.onTools(upstream)
      if (list !== 'tools') this.#sendListChanged(list, ({ scope }) => scope.hasServer(upstream.name))
      else if (catalog.update(upstream)) this.#sendToolsChanged()
    }
  }

  #sendToolsChanged(): void {
    this.#sendListChanged('tools', ({ catalog }) => catalog.takeChange())
  }

  /** Only clients whose scope contains what has changed are notified. */
  #sendListChanged(list: ListKind, concerns: (services: ScopeServices) => boolean): void {
    for (const [scope, services] of this.#services) {
      if (!concerns(services)) continue
      for (const session of this.#parts.router.sessions)
        if (session.scope === scope) session.sendListChanged(list)
      for (const listener of services.listListeners) listener(list)
    }
  }

  #onServersChanged({ before, added, removed, configured }: ServerSetChange): void {
    const { readiness, catalog, connections } = this.#shared
    for (const upstream of added.keys()) this.#listenTo(upstream, upstream)
    for (const upstream of configured)
      for (const connection of this.connectionsTo(upstream)) connection.configure(upstream.config)
    if (catalog.update(...configured)) this.#sendToolsChanged()
    for (const list of ['prompts', 'resources'] as const)
      this.#sendListChanged(list, ({ scope, lists }) =>
        lists.changedSince(before.filter(({ name }) => scope.hasServer(name))).includes(list),
      )
    readiness.add(added.keys())
    this.#syncLogLevel()
    for (const upstream of removed)
      for (const { subscriptions } of this.#services.values())
        subscriptions.move(upstream, this.#closing.signal, (uri, error) =>
          this.#onSubscriptionFailed(uri, error),
        )
    for (const [upstream, replaced] of added) {
      this.runtime.resetBreakers(upstream.name)
      if (replaced !== null) connections.replace(replaced, upstream)
      // The tools of a server that was never seen are not known otherwise.
      const isNeeded = upstream.config.eager || upstream.listing === null || replaced?.connected === true
      if (isNeeded) void readiness.start(upstream, 'tools')
    }
  }

  #onNotification(upstream: Upstream, notification: JSONRPCNotification): void {
    this.#parts.router.onNotification(upstream, notification)
    if (notification.method !== 'notifications/resources/updated') return
    for (const [scope, { resourceListeners }] of this.#services)
      if (scope.hasServer(upstream.name))
        for (const listener of resourceListeners) listener(String(notification.params?.uri))
  }

  /** Cancels all calls and stops all servers. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('Curfew is exiting'))
    for (const { suspended } of this.#services.values()) suspended.close()
    await this.#parts.runtime.close()
    await Promise.all([this.#shared.connections.close(), this.#servers.close()])
  }
}
