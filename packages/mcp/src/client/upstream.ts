import type { CurfewError } from '@curfew/core'
import { type Clock, messageOf, Redactor, systemClock } from '@curfew/core/internal'
import type { Client, JSONRPCNotification, LoggingLevel, RequestOptions } from '@modelcontextprotocol/client'
import { runnerOf } from '../config/package-runner.ts'
import { secretUseOf } from '../config/secret-use.ts'
import type { ServerConfig } from '../config/server-config.ts'
import type { ClientBridge } from './connection/client-bridge.ts'
import type { Connection, ListKind } from './connection/create-client.ts'
import { type FilledValues, type SecretReader, secretsOf } from './connection/server-secrets.ts'
import { toUpstreamError } from './connection/to-upstream-error.ts'
import { ManagedConnection } from './lifecycle/managed-connection.ts'
import { ServerSubscriptions } from './lifecycle/server-subscriptions.ts'
import { startServer } from './lifecycle/start-server.ts'
import { UpstreamRequests } from './lifecycle/upstream-requests.ts'
import { ProblemList } from './listing/problem-list.ts'
import { ServerLists, type UpstreamLog } from './listing/server-lists.ts'
import type { OAuthSession } from './oauth/oauth-session.ts'
import type { ServerListing, ServerState } from './state/server-state.ts'
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
  readonly log: UpstreamLog
  /** Called repeatedly while the server is being downloaded. @default log */
  readonly onDownload?: ((message: string) => void) | undefined
  /** The name of the start timeout in error messages. @default 'startTimeout' */
  readonly startTimeoutName?: string | undefined
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
/** For requests outside of a call, unless the configuration sets `timeout`. */
const defaultTimeoutMs = 60_000
const everyList: ReadonlySet<ListKind> = new Set(['tools', 'prompts', 'resources'])

/** One MCP server: started on first use and restarted after it was lost. Every wait for it is bounded. */
export class Upstream {
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
  /** Problems of the current connection that were logged. */
  #problems = new ProblemList()

  constructor(config: ServerConfig, options: UpstreamOptions) {
    const { state, log, clock = systemClock, redactor = new Redactor() } = options
    this.config = config
    this.state = state
    this.key = options.key ?? config.name
    this.#options = options
    this.#timeoutName = options.startTimeoutName ?? 'startTimeout'
    this.#clock = clock
    this.#redactor = redactor
    this.#connection = new ManagedConnection({
      config,
      clock,
      redactor,
      open: (values, closing) => this.#start(values, closing),
      onOpen: ({ client }) => this.#onOpen(client),
      downloadRunner: () => (state.listing === null ? runnerOf(config) : null),
      timeoutName: this.#timeoutName,
      log,
    })
    this.request = new UpstreamRequests({
      config,
      connection: this.#connection,
      clock,
      readSecret: options.readSecret,
      log,
    }).send
    this.#lists = new ServerLists({
      config,
      state,
      clock,
      timeoutName: this.#timeoutName,
      connection: () => this.#connection.current,
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

  get connected(): boolean {
    return this.#connection.current !== null
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

  /** Returns the same server on a separate connection, with another bridge. */
  instance(key: string, bridge: ClientBridge): Upstream {
    return new Upstream(this.config, { ...this.#options, key, bridge })
  }

  /** Rereads the approvals, which another process may have changed; if so, listeners are notified of changed tools. */
  async recheck(): Promise<void> {
    const before = this.state.changed.length
    await this.state.refresh()
    if (this.state.changed.length !== before) this.#onListing(new Set(['tools']))
  }

  /** Fetches all its lists. */
  async refresh(signal: AbortSignal): Promise<ServerListing> {
    const connection = await this.connect(signal)
    return await this.#lists.fetch(connection, everyList, signal)
  }

  /** Subscribes to changes of a resource, also after a restart. */
  async subscribe(uri: string, signal: AbortSignal): Promise<void> {
    const connection = await this.connect(signal)
    const options = { signal, timeout: this.config.timeoutMs ?? defaultTimeoutMs }
    await this.#subscriptions.subscribe(connection.client, uri, options).catch((error: unknown) => {
      throw toUpstreamError(error, this.config, connection)
    })
  }

  async unsubscribe(uri: string): Promise<void> {
    await this.#notify((client, options) => this.#subscriptions.unsubscribe(client, uri, options))
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
    const connection = await startServer({
      config: this.config,
      values,
      knownEra: this.state.listing?.era,
      bridge: this.#options.bridge,
      events: {
        onListChanged: (list) => this.#lists.onChanged(list),
        onNotification: (notification) => {
          for (const listener of this.#listeners) listener.onNotification(notification)
        },
        onError: (error) => this.#onProblem(error),
      },
      auth: this.#options.signIn?.(this.config),
      redactor: this.#redactor,
      clock: this.#clock,
      closing,
      timeoutName: this.#timeoutName,
      onDownload: this.#options.onDownload ?? this.#options.log,
      prepare: async (connection, signal) =>
        void (await this.#lists.fetch(connection, new Set(['tools']), signal)),
    })
    if (isNew) this.#lists.awaitOtherLists()
    return connection
  }

  #onOpen(client: Client): void {
    this.#problems = new ProblemList()
    this.#lists.onChanged('prompts', 'resources')
    void this.#subscriptions.restore(client)
  }

  #onListing(lists: ReadonlySet<ListKind>): void {
    for (const listener of this.#listeners) listener.onListing(lists)
  }

  /** A start that fails is reported by its caller. */
  #onProblem(error: Error): void {
    if (!this.connected) return
    const problem = describeProblem(error)
    if (this.#problems.add(problem)) this.#log(problem)
  }
}
