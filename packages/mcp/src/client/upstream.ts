import type { CurfewError } from '@curfew/core'
import { type Clock, messageOf, Redactor, systemClock } from '@curfew/core/internal'
import type {
  Client,
  ClientCapabilities,
  JSONRPCNotification,
  LoggingLevel,
  RequestOptions,
} from '@modelcontextprotocol/client'
import { runnerOf } from '../config/package-runner.ts'
import { secretUseOf } from '../config/secret-use.ts'
import { defaultCallTimeoutMs, type ServerConfig } from '../config/server-config.ts'
import type { BridgedMethod, ClientBridge } from './connection/client-bridge.ts'
import type { Connection, ListKind } from './connection/create-client.ts'
import { type FilledValues, type SecretReader, secretsOf } from './connection/server-secrets.ts'
import { toUpstreamError } from './connection/to-upstream-error.ts'
import { IdleStop } from './lifecycle/idle-stop.ts'
import { listenForListChanges } from './lifecycle/list-changes.ts'
import { ManagedConnection } from './lifecycle/managed-connection.ts'
import type { ServerStatus } from './lifecycle/server-status.ts'
import { ServerSubscriptions } from './lifecycle/server-subscriptions.ts'
import { startServer } from './lifecycle/start-server.ts'
import { UpstreamRequests } from './lifecycle/upstream-requests.ts'
import { ProblemList } from './listing/problem-list.ts'
import { ServerLists, type UpstreamLog } from './listing/server-lists.ts'
import type { OAuthSession } from './oauth/oauth-session.ts'
import type { ServerLog } from './server-log.ts'
import type { ChangedTool, ServerListing, ServerState } from './state/server-state.ts'
import { describeProblem } from './transport/describe-problem.ts'

export interface UpstreamOptions {
  readonly state: ServerState
  /** Distinguishes several connections to one server. @default the server's name */
  readonly key?: string | undefined
  /** Reads secrets for connections that are opened outside of a call. */
  readonly readSecret: SecretReader
  /** Without it, the client declares no capabilities. */
  readonly bridge?: ClientBridge | undefined
  /** Without it, servers that require a sign-in cannot be used. */
  readonly signIn?: SignIn | undefined
  /** Redacts the server's secrets in everything that it sends. */
  readonly redactor?: Redactor | undefined
  /** `topic` is `tools` for a problem that is also in `toolProblems`. */
  readonly log: UpstreamLog
  /** Collects what happens to it and what it prints. */
  readonly serverLog?: ServerLog | undefined
  /** Called repeatedly while the server is being downloaded. @default log */
  readonly onDownload?: ((message: string) => void) | undefined
  /** The name of the start timeout in error messages. @default 'startTimeout' */
  readonly startTimeoutName?: string | undefined
  /**
   * Its clients come and go, and each holds it while it is connected. Otherwise there is one client, the program itself, and a
   * server that was called runs until it is closed.
   * @default false
   */
  readonly severalClients?: boolean | undefined
  readonly clock?: Clock | undefined
}

/** Returns the OAuth session of a server; `undefined` if it needs none. */
export type SignIn = (config: ServerConfig) => OAuthSession | undefined

export interface UpstreamListener {
  /** The tools were fetched, or another list has changed. */
  onListing(changed: ReadonlySet<ListKind>): void
  onNotification(notification: JSONRPCNotification): void
}

const notifyTimeoutMs = 10_000
const everyList: ReadonlySet<ListKind> = new Set(['tools', 'prompts', 'resources'])

/** One MCP server: started on first use and restarted after it was lost. Every wait for it is bounded. */
export class Upstream {
  /** Its own copy; `configure` changes it. */
  readonly config: ServerConfig
  readonly state: ServerState
  readonly key: string
  readonly request: UpstreamRequests['send']
  readonly #options: UpstreamOptions
  readonly #timeoutName: string
  readonly #clock: Clock
  readonly #redactor: Redactor
  readonly #listeners = new Set<UpstreamListener>()
  readonly #connection: ManagedConnection
  readonly #lists: ServerLists
  readonly #subscriptions: ServerSubscriptions
  readonly #idle: IdleStop
  /** Problems of the current connection that were logged. */
  #problems = new ProblemList()
  #retired = false

  constructor(config: ServerConfig, options: UpstreamOptions) {
    const { state, log, clock = systemClock, redactor = new Redactor() } = options
    this.config = config
    this.state = state
    this.key = options.key ?? config.name
    this.#options = options
    this.#timeoutName = options.startTimeoutName ?? 'startTimeout'
    this.#clock = clock
    this.#redactor = redactor
    this.#idle = new IdleStop({ config, clock, stop: (reason) => this.#stopIdle(reason) })
    this.#connection = new ManagedConnection({
      config,
      clock,
      redactor,
      open: (values, closing) => this.#start(values, closing),
      onOpen: ({ client }) => this.#onOpen(client),
      onStatus: (status) => options.serverLog?.onStatus(status),
      onEnd: () => this.#idle.onEnd(),
      downloadRunner: () => (state.listing === null ? runnerOf(config) : null),
      timeoutName: this.#timeoutName,
      log,
    })
    const { readSecret, severalClients = false } = options
    const requests = new UpstreamRequests({ config, connection: this.#connection, clock, readSecret, log })
    this.request = async (request, requestOptions) => {
      if (!severalClients) this.hold(this)
      return await this.#idle.during(() =>
        requests.send(request, requestOptions).finally(() => this.#idle.onCall()),
      )
    }
    this.#lists = new ServerLists({
      config,
      state,
      clock,
      timeoutName: this.#timeoutName,
      connection: () => this.#connection.current,
      whileFetching: (fetch) => this.#idle.during(fetch, false),
      onListing: (lists) => this.#onListing(lists),
      log,
    })
    this.#subscriptions = new ServerSubscriptions({
      clock,
      timeoutMs: notifyTimeoutMs,
      log: (problem) => this.#log(problem),
    })
  }

  get name(): string {
    return this.config.name
  }

  get clock(): Clock {
    return this.#clock
  }

  /** The capabilities that it is told, unless a request is made for a client with others. */
  get ownCapabilities(): ClientCapabilities {
    return this.#options.bridge?.capabilities ?? {}
  }

  get connected(): boolean {
    return this.#connection.current !== null
  }

  /** State, pid, number of calls and last error. */
  get status(): ServerStatus {
    return this.#connection.status
  }

  /** What it offered when it last ran; `null` if that is unknown. */
  get listing(): ServerListing | null {
    return this.state.listing
  }

  /** Pending while the prompts and resources of a new server are fetched, which calls do not wait for. */
  get otherLists(): Promise<void> | null {
    return this.#lists.otherLists
  }

  /** Why some of its tools are left out; empty if this process has not fetched them. */
  get toolProblems(): readonly string[] {
    return this.#lists.toolProblems
  }

  /** Why the last start failed. */
  get problem(): CurfewError | null {
    return this.#connection.problem
  }

  /** The names of the secrets that it gets. */
  get secrets(): readonly string[] {
    return secretsOf(this.config)
  }

  /** What its secrets are bound to. */
  get secretUse(): string {
    return secretUseOf(this.config)
  }

  /** Returns an unsubscribe function. */
  listen(listener: UpstreamListener): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Starts it if it is not running. Rejects with `TRANSPORT_FAILED` if that fails. */
  async connect(
    signal: AbortSignal,
    readSecret: SecretReader = this.#options.readSecret,
  ): Promise<Connection> {
    return await this.#connection.get(signal, readSecret)
  }

  /** Keeps it running, once it is started, until the holder releases it. */
  hold(holder: object): void {
    this.#idle.hold(holder)
  }

  release(holder: object): void {
    this.#idle.release(holder)
  }

  /** Returns the same server on a separate connection, with another bridge. */
  instance(key: string, bridge: ClientBridge): Upstream {
    return new Upstream(this.config, { ...this.#options, key, bridge })
  }

  /** Applies settings that need no other connection; the target must be the same. */
  configure(config: ServerConfig): void {
    // Everything that reads its configuration shares this object.
    Object.assign(this.config, config)
    this.state.configure(this.config)
    this.#idle.onConfigured()
  }

  /** It gets no new calls and no longer updates its state, which belongs to its successor; open calls continue. */
  retire(): void {
    this.#lists.stop()
    this.#retired = true
  }

  /** Answers a question that it asked in a response. */
  async answer(
    method: BridgedMethod,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const { bridge } = this.#options
    if (bridge === undefined) throw new Error(`nobody is available to answer ${method}`)
    return await bridge.request(method, params, signal)
  }

  /** Rereads the approvals, which another process may have changed; if so, listeners are notified of changed tools. */
  async recheck(): Promise<void> {
    const { state } = this
    if (!state.needsApproval) return
    const before = state.changed.length + state.added.length
    await state.refresh()
    if (state.changed.length + state.added.length !== before) this.#onListing(new Set(['tools']))
  }

  /** Pins a definition that the user has reviewed; listeners are notified, because the tools have changed for clients. */
  async approve({ current }: ChangedTool): Promise<void> {
    try {
      await this.state.approve([current])
    } finally {
      this.#onListing(new Set(['tools']))
    }
  }

  /** Fetches all its lists. */
  async refresh(signal: AbortSignal): Promise<ServerListing> {
    return await this.#idle.during(async () => {
      const connection = await this.connect(signal)
      return await this.#lists.fetch(connection, everyList, signal)
    })
  }

  /** Subscribes to changes of a resource, also after a restart. */
  async subscribe(uri: string, signal: AbortSignal): Promise<void> {
    await this.#idle.during(async () => {
      const connection = await this.connect(signal)
      const options = { signal, timeout: this.config.timeoutMs ?? defaultCallTimeoutMs }
      await this.#subscriptions.subscribe(connection.client, uri, options).catch((error: unknown) => {
        throw toUpstreamError(error, this.config, connection)
      })
      this.#idle.onCall()
      this.hold(this.#subscriptions)
    })
  }

  async unsubscribe(uri: string): Promise<void> {
    await this.#notify((client, options) => this.#subscriptions.unsubscribe(client, uri, options))
    if (this.#subscriptions.isEmpty) this.release(this.#subscriptions)
  }

  async setLogLevel(level: LoggingLevel | undefined): Promise<void> {
    await this.#notify((client, options) => this.#subscriptions.setLevel(client, level, options))
  }

  /** Does nothing unless it is connected. */
  async ping(): Promise<void> {
    await this.#notify(async (client, options) => {
      if (client?.getProtocolEra() === 'legacy') await client.ping(options)
    })
  }

  async onRootsChanged(): Promise<void> {
    await this.#notify(async (client) => {
      if (client?.getProtocolEra() === 'legacy') await client.sendRootsListChanged()
    })
  }

  /** Errors are only logged: no caller depends on the result. */
  async #notify(send: (client: Client | null, options: RequestOptions) => Promise<void>): Promise<void> {
    const client = this.#connection.current?.client ?? null
    await send(client, { timeout: notifyTimeoutMs }).catch((error: unknown) => this.#log(messageOf(error)))
  }

  #log(problem: string): void {
    this.#options.log(`the MCP server ${this.name}: ${problem}`)
  }

  #stopIdle(reason: string | null): void {
    if (this.#connection.stopIdle() && reason !== null) this.#log(`it is stopped: ${reason}`)
  }

  /** Closes the connection, or the one that is being opened; the next call opens another one. */
  async disconnect(): Promise<void> {
    await this.#connection.disconnect()
  }

  async close(): Promise<void> {
    this.#lists.stop()
    await this.#connection.close()
  }

  async #start(values: FilledValues, closing: AbortSignal): Promise<Connection> {
    const isNew = this.state.listing === null
    const { serverLog } = this.#options
    const connection = await startServer({
      config: this.config,
      values,
      knownEra: this.state.listing?.era,
      bridge: this.#options.bridge,
      events: {
        onListChanged: (list) => this.#lists.onChanged(list),
        onNotification: (notification) => {
          this.#options.serverLog?.onNotification(notification)
          for (const listener of this.#listeners) listener.onNotification(notification)
        },
        onError: (error) => this.#onProblem(error),
      },
      auth: this.#options.signIn?.(this.config),
      redactor: this.#redactor,
      clock: this.#clock,
      closing,
      timeoutName: this.#timeoutName,
      onStderr: serverLog && ((line) => serverLog.onStderr(line)),
      onDownload: this.#options.onDownload ?? this.#options.log,
      prepare: async (connection, signal) =>
        void (await this.#lists.fetch(connection, new Set(['tools']), signal)),
    })
    if (isNew) this.#lists.awaitOtherLists()
    return connection
  }

  #onOpen(client: Client): void {
    this.#problems = new ProblemList()
    this.#idle.onStart()
    this.#lists.onChanged('prompts', 'resources')
    void this.#subscriptions.restore(client)
    void listenForListChanges(client, {
      clock: this.#clock,
      timeoutMs: notifyTimeoutMs,
      log: (problem) => this.#log(problem),
    })
  }

  #onListing(lists: ReadonlySet<ListKind>): void {
    if (this.#retired) return
    for (const listener of this.#listeners) listener.onListing(lists)
  }

  /** A start that fails is reported by its caller. */
  #onProblem(error: Error): void {
    if (!this.connected) return
    const problem = describeProblem(error)
    if (this.#problems.add(problem)) this.#log(problem)
  }
}
