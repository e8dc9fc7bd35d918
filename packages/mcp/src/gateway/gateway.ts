import { createRuntime, parseDuration, type Runtime, type RuntimeOptions, type Tool } from '@curfew/core'
import {
  type Clock,
  defaultApprovalTimeoutMs,
  defaultMaxContentLength,
  messageOf,
  systemClock,
} from '@curfew/core/internal'
import type { JSONRPCNotification, LoggingLevel, Server } from '@modelcontextprotocol/server'
import type { ListKind } from '../client/connection/create-client.ts'
import { textOfResult } from '../client/connection/result-text.ts'
import { openUpstreams, type UpstreamsOptions } from '../client/open-upstreams.ts'
import type { Upstream } from '../client/upstream.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { answerQuestion } from './answer-question.ts'
import { Catalog, type CatalogOptions } from './catalog.ts'
import { ClientConnections } from './client-connections.ts'
import { ClientSubscriptions } from './client-subscriptions.ts'
import { instructionsFor } from './instructions.ts'
import { lowestLevel } from './log-levels.ts'
import { MergedLists } from './merged-lists.ts'
import { MessageRouter } from './message-router.ts'
import { Readiness } from './readiness.ts'
import { RuntimeCalls } from './runtime-calls.ts'
import { searchTool } from './search-tools.ts'
import { type ClientKind, type GatewayServices, Session } from './session.ts'
import { SuspendedRequests } from './suspended-requests.ts'
import { TurnClock } from './turn-clock.ts'

export interface GatewayOptions
  extends Partial<CatalogOptions>,
    Pick<UpstreamsOptions, 'stateFolder' | 'log' | 'tokens'> {
  /** For the runtime. Without rules every call runs: the gate is the client's own prompt. */
  readonly runtime: RuntimeOptions
  /** Served beside those of the servers. */
  readonly tools: readonly Tool[]
  readonly servers: readonly ServerConfig[]
}

/** A server that hangs must not take the slots of the others. */
const concurrency = 256
/** A level cannot be taken back; this is what most servers send unasked. */
const defaultLevel: LoggingLevel = 'info'
/** For loops and logs, where the result is passed on as it is. */
const maxLoggedText = 4_096

/** Serves tools, and all else that the servers behind it have, to any number of clients. Every call goes through one runtime. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { runtime: runtimeOptions, tools, log } = options
  const { view = 'brief', allow = [], deny = [], unprefixed = false, nameLimit = 64 } = options
  const { clock = systemClock, approvalTimeout = defaultApprovalTimeoutMs } = runtimeOptions
  const waitMs = parseDuration(approvalTimeout, 'approvalTimeout')
  const routes = new MessageRouter(clock, waitMs, options.servers.length)
  const runtime = createRuntime({
    concurrency,
    ...runtimeOptions,
    view,
    log: (entry) => {
      routes.onLogEntry(entry)
      runtimeOptions.log?.(entry)
    },
  })
  routes.attach(runtime)
  const upstreams = await openUpstreams(options.servers, {
    ...options,
    bridgeFor: (upstream) => routes.bridgeFor(upstream),
    vault: runtimeOptions.vault,
    hideSecret: runtime.hideSecret,
    openSignIn: (page) => routes.openSignIn(page),
    clock,
  })
  const catalog = { view, allow, deny, unprefixed, nameLimit }
  const { maxContentLength = defaultMaxContentLength, missingTools = new Map() } = runtimeOptions
  return new Gateway({
    runtime,
    routes,
    upstreams,
    clock,
    waitMs,
    tools,
    missingTools,
    log,
    maxContentLength,
    catalog,
  })
}

interface GatewayParts {
  readonly runtime: Runtime
  readonly routes: MessageRouter
  readonly upstreams: readonly Upstream[]
  readonly clock: Clock
  /** For an answer that comes with another request. */
  readonly waitMs: number
  readonly tools: readonly Tool[]
  /** Those that could not be loaded, with the reason. */
  readonly missingTools: ReadonlyMap<string, string>
  readonly log: (message: string) => void
  /** So much text of a result is passed on. */
  readonly maxContentLength: number
  readonly catalog: CatalogOptions
}

export class Gateway {
  readonly #parts: GatewayParts
  readonly #shared: GatewayServices
  readonly #closing = new AbortController()
  readonly #listListeners = new Set<(list: ListKind) => void>()
  readonly #resourceListeners = new Set<(uri: string) => void>()
  /** In these turns, calls are counted that come without a session: for all who have the token together. */
  readonly #budget: TurnClock
  readonly #onlyClient = {}
  #levelWasSet = false
  #level: LoggingLevel | undefined

  constructor(parts: GatewayParts) {
    const { runtime, routes, upstreams, clock } = parts
    this.#parts = parts
    this.#budget = new TurnClock(clock)
    this.#shared = this.#assemble(parts)
    runtime.onQuestion(async (question, { signal }) => {
      const exchange = routes.get(question.callId)
      return exchange === undefined ? undefined : await answerQuestion(question, exchange, signal)
    })
    for (const upstream of upstreams) {
      this.#listenTo(upstream, upstream)
      if (upstream.config.eager) void this.#shared.readiness.start(upstream, 'tools')
    }
  }

  /** `connection` is the one that clients share, or one more to the same server. */
  #listenTo(connection: Upstream, shared: Upstream): void {
    connection.listen({
      onListing: (lists) => this.#onListing(shared, lists),
      onNotification: (notification) => this.#onNotification(connection, notification),
    })
  }

  #openConnections(routes: MessageRouter): ClientConnections {
    const connections = new ClientConnections({
      onlyClient: this.#onlyClient,
      isBusy: (connection) => routes.callsAt(connection).open.length > 0,
      open: (shared, key) => {
        const connection: Upstream = shared.instance(
          key,
          routes.bridgeFor(() => connection),
        )
        this.#listenTo(connection, shared)
        void connection.setLogLevel(this.#level)
        return connection
      },
    })
    routes.attachConnections(connections)
    return connections
  }

  #assemble({
    runtime,
    routes,
    upstreams,
    clock,
    waitMs,
    tools,
    missingTools,
    log,
    maxContentLength,
    catalog: options,
  }: GatewayParts): GatewayServices {
    const { view } = options
    const readiness = new Readiness({ upstreams, clock, log, closing: this.#closing.signal })
    const lists = new MergedLists(upstreams)
    const search = view === 'stub' ? [searchTool(() => catalog.entries)] : []
    const catalog: Catalog = new Catalog(runtime, [...search, ...tools], upstreams, options, {
      forwardedCall: (callId) => routes.get(callId),
      textOf: (result) => {
        const text = textOfResult(result)
        return text.length > maxContentLength ? text : text.slice(0, maxLoggedText)
      },
    })
    const several = upstreams.length > 1
    const connections = this.#openConnections(routes)
    return {
      clock,
      connections,
      routes,
      readiness,
      lists,
      catalog,
      calls: new RuntimeCalls({
        runtime,
        routes,
        catalog,
        lists,
        readiness,
        connections,
        view,
        several,
        maxContentLength,
        missingTools,
      }),
      parked: new SuspendedRequests(clock, waitMs),
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

  /** An SDK server for a client: the only one, one of several, or one that comes with a single request. */
  createServer(era: 'legacy' | 'modern', kind: ClientKind = 'only'): Server {
    const { routes, subscriptions, connections, clock } = this.#shared
    const session = new Session(this.#shared, {
      era,
      kind,
      client: kind === 'only' ? this.#onlyClient : undefined,
      turn: kind === 'request' ? this.#budget : new TurnClock(clock),
      instructions: instructionsFor(this.#parts.upstreams, this.#parts.catalog.view),
    })
    if (kind !== 'request') {
      routes.sessions.add(session)
      session.server.onclose = () => {
        routes.sessions.delete(session)
        subscriptions.removeAll(session)
        if (kind === 'session') connections.end(session.client)
        this.#syncLogLevel()
      }
    }
    return session.server
  }

  /** The schema of a tool's parameters, as clients are shown it. */
  inputSchemaOf(tool: string): unknown {
    return this.#shared.catalog.listed(tool)?.inputSchema
  }

  /** For those who tell clients of 2026 themselves. */
  onListChanged(listener: (list: ListKind) => void): () => void {
    this.#listListeners.add(listener)
    return () => {
      this.#listListeners.delete(listener)
    }
  }

  onResourceUpdated(listener: (uri: string) => void): () => void {
    this.#resourceListeners.add(listener)
    return () => {
      this.#resourceListeners.delete(listener)
    }
  }

  /** A client of 2026 listens for changes of these resources; returns what to do when it does not any more. */
  listen(uris: readonly string[]): () => void {
    return this.#shared.subscriptions.listen(uris, (uri, error) => {
      if (!this.#closing.signal.aborted)
        this.#parts.log(`changes of ${uri} will not be told: ${messageOf(error)}`)
    })
  }

  /** The servers send what the most curious of the clients wants to hear. */
  #syncLogLevel(): void {
    const wanted = [...this.#shared.routes.sessions].flatMap(({ logLevel }) =>
      logLevel === undefined ? [] : [logLevel],
    )
    if (wanted.length > 0) this.#levelWasSet = true
    this.#level = lowestLevel(wanted) ?? (this.#levelWasSet ? defaultLevel : undefined)
    for (const upstream of [...this.#parts.upstreams, ...this.#shared.connections.all])
      void upstream.setLogLevel(this.#level)
  }

  #onListing(upstream: Upstream, lists: ReadonlySet<ListKind>): void {
    const { readiness, catalog, routes } = this.#shared
    for (const list of lists) {
      if (list === 'tools') readiness.onTools(upstream)
      if (list === 'tools' && !catalog.update(upstream)) continue
      for (const session of routes.sessions) session.sendListChanged(list)
      for (const listener of this.#listListeners) listener(list)
    }
  }

  #onNotification(upstream: Upstream, notification: JSONRPCNotification): void {
    this.#shared.routes.onNotification(upstream, notification)
    if (notification.method !== 'notifications/resources/updated') return
    for (const listener of this.#resourceListeners) listener(String(notification.params?.uri))
  }

  /** Cancels every call and ends every server. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('Curfew is ending'))
    this.#shared.parked.close()
    await this.#parts.runtime.close()
    const { connections } = this.#shared
    await Promise.all([connections.close(), ...this.#parts.upstreams.map((upstream) => upstream.close())])
  }
}
