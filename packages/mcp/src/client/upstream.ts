import { CredentialRequiredError, type CurfewError, formatDuration } from '@curfew/core'
import { type Clock, messageOf, Redactor, systemClock } from '@curfew/core/internal'
import type { Client, JSONRPCNotification, LoggingLevel, RequestOptions } from '@modelcontextprotocol/client'
import { runnerOf } from '../config/package-runner.ts'
import { secretUseOf } from '../config/secret-use.ts'
import type { ServerConfig } from '../config/server-config.ts'
import type { ClientBridge } from './connection/client-bridge.ts'
import type { Connection, ListKind } from './connection/create-client.ts'
import { type SendOptions, sendRequest, type UpstreamRequest } from './connection/send-request.ts'
import { type FilledValues, type SecretReader, secretsOf } from './connection/server-secrets.ts'
import { ConnectionLostError, credentialErrorOf, upstreamError } from './connection/upstream-error.ts'
import { aliveTimeoutMs, isAlive } from './lifecycle/is-alive.ts'
import { ManagedConnection } from './lifecycle/managed-connection.ts'
import { ServerSubscriptions } from './lifecycle/server-subscriptions.ts'
import { startServer } from './lifecycle/start-server.ts'
import { ProblemList } from './listing/problem-list.ts'
import { ServerLists } from './listing/server-lists.ts'
import type { OAuthSession } from './oauth/oauth-session.ts'
import type { ServerListing, ServerState } from './state/server-state.ts'

/** What a connection needs of whoever holds it. */
export interface UpstreamOptions {
  readonly state: ServerState
  /** Tells the connections to one server apart. @default the server's name */
  readonly key?: string | undefined
  /** For connecting when no call is under way. */
  readonly readSecret: SecretReader
  /** Without it, the server is told that nobody can be asked. */
  readonly bridge?: ClientBridge | undefined
  /** Without it nobody can sign in. */
  readonly signIn?: SignIn | undefined
  /** Takes what the server was given in secret out of all that it says. */
  readonly redactor?: Redactor | undefined
  readonly log: (message: string) => void
  /** Called repeatedly while the server is being downloaded. @default log */
  readonly onDownload?: ((message: string) => void) | undefined
  readonly clock?: Clock | undefined
}

/** The session of a server that somebody may have to sign in to. */
export type SignIn = (config: ServerConfig) => OAuthSession | undefined

export interface UpstreamRequestOptions extends SendOptions {
  /** Reads secrets for a call: it may ask a person. */
  readonly readSecret?: SecretReader | undefined
  /** Looks once more before anything is sent: the server may have been started only now, and be another. */
  readonly beforeSend?: (() => Promise<void> | void) | undefined
  /** If the connection is lost, it may be asked again. */
  readonly repeatable?: boolean | undefined
}

export interface UpstreamListener {
  /** The tools were fetched, or another list is not as it was. */
  onListing(changed: ReadonlySet<ListKind>): void
  onNotification(notification: JSONRPCNotification): void
}

const notifyTimeoutMs = 10_000
/** For what no call is made of, where the configuration says nothing. */
const defaultTimeoutMs = 60_000
/** For the log. */
const maxProblemLength = 300
const everyList: ReadonlySet<ListKind> = new Set(['tools', 'prompts', 'resources'])

/** One MCP server: started when it is needed, started again when it was lost, and never waited for without end. */
export class Upstream {
  readonly config: ServerConfig
  readonly state: ServerState
  readonly key: string
  readonly #options: UpstreamOptions
  readonly #clock: Clock
  readonly #redactor: Redactor
  readonly #listeners = new Set<UpstreamListener>()
  readonly #connection: ManagedConnection
  readonly #lists: ServerLists
  readonly #wishes: ServerSubscriptions
  /** Of this connection. */
  #problems = new ProblemList()
  #checking = false

  constructor(config: ServerConfig, options: UpstreamOptions) {
    const { state, log, clock = systemClock, redactor = new Redactor() } = options
    this.config = config
    this.state = state
    this.key = options.key ?? config.name
    this.#options = options
    this.#clock = clock
    this.#redactor = redactor
    this.#connection = new ManagedConnection({
      config,
      clock,
      redactor,
      open: (values, closing) => this.#start(values, closing),
      onOpen: ({ client }) => this.#onOpen(client),
      downloadRunner: () => (state.listing === null ? runnerOf(config) : null),
      log,
    })
    this.#lists = new ServerLists({
      config,
      state,
      clock,
      connection: () => this.#connection.current,
      onListing: (lists) => this.#onListing(lists),
      log,
    })
    this.#wishes = new ServerSubscriptions({
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

  /** What it offers, as far as that is known without starting it. */
  get listing(): ServerListing | null {
    return this.state.listing
  }

  /** While the other lists of a server that is seen for the first time are fetched: calls need only the tools. */
  get rest(): Promise<void> | null {
    return this.#lists.rest
  }

  /** Why some of its tools are left out, as far as that was seen in this run. */
  get toolProblems(): readonly string[] {
    return this.#lists.toolProblems
  }

  /** Why it could not be started last time. */
  get problem(): CurfewError | null {
    return this.#connection.problem
  }

  /** The secrets that it is given. */
  get secrets(): readonly string[] {
    return secretsOf(this.config)
  }

  /** Who gets them. */
  get secretUse(): string {
    return secretUseOf(this.config)
  }

  listen(listener: UpstreamListener): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Starts it if it does not run. Rejects with `TRANSPORT_FAILED` if it cannot be had. */
  async connect(
    signal: AbortSignal,
    readSecret: SecretReader = this.#options.readSecret,
  ): Promise<Connection> {
    return await this.#connection.get(signal, readSecret)
  }

  /** The same server on a connection of its own, with whoever answers what is asked there. */
  instance(key: string, bridge: ClientBridge): Upstream {
    return new Upstream(this.config, { ...this.#options, key, bridge })
  }

  /**
   * Asks the server. Rejects with a `CurfewError`, or with the signal's reason. A function makes the request once the
   * server is up, so that it can say how much time is left.
   */
  async request(
    request: UpstreamRequest | (() => UpstreamRequest),
    options: UpstreamRequestOptions,
  ): Promise<Record<string, unknown>> {
    const { signal, readSecret = this.#options.readSecret, repeatable } = options
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#connection.use(signal, readSecret, (connection) =>
          this.#send(connection, request, options),
        )
      } catch (error) {
        if (!(error instanceof ConnectionLostError) || !repeatable || attempt > 1) throw error
      }
    }
  }

  async #send(
    connection: Connection,
    request: UpstreamRequest | (() => UpstreamRequest),
    options: UpstreamRequestOptions,
  ): Promise<Record<string, unknown>> {
    const { signal, beforeSend } = options
    await beforeSend?.()
    try {
      const result = await sendRequest(
        connection,
        typeof request === 'function' ? request() : request,
        options,
      )
      const refused = credentialErrorOf(result, this.config)
      if (refused !== null) throw refused
      return result
    } catch (thrown) {
      if (signal.aborted) void this.#checkAlive(connection)
      signal.throwIfAborted()
      const error = upstreamError(thrown, this.config, connection)
      if (error instanceof CredentialRequiredError) this.#connection.doubt(connection)
      else if (error.code === 'CREDENTIAL_REQUIRED' || error instanceof ConnectionLostError)
        this.#connection.drop(connection)
      throw error
    }
  }

  /** Somebody may have approved meanwhile what it changed; then its tools are listed as they are now. */
  async recheck(): Promise<void> {
    const before = this.state.changed.length
    await this.state.refresh()
    if (this.state.changed.length === before) return
    this.#onListing(new Set(['tools']))
  }

  /** Fetches what it offers, now. */
  async refresh(signal: AbortSignal): Promise<ServerListing> {
    const connection = await this.connect(signal)
    return await this.#lists.fetch(connection, everyList, signal)
  }

  /** From now on it says when this resource changes. */
  async subscribe(uri: string, signal: AbortSignal): Promise<void> {
    const connection = await this.connect(signal)
    const options = { signal, timeout: this.config.timeoutMs ?? defaultTimeoutMs }
    await this.#wishes.subscribe(connection.client, uri, options).catch((error: unknown) => {
      throw upstreamError(error, this.config, connection)
    })
  }

  async unsubscribe(uri: string): Promise<void> {
    await this.#tell((client, options) => this.#wishes.unsubscribe(client, uri, options))
  }

  /** How much of its log it is to send. */
  async setLogLevel(level: LoggingLevel | undefined): Promise<void> {
    await this.#tell((client, options) => this.#wishes.setLevel(client, level, options))
  }

  /** A round trip; none if it is not connected. */
  async ping(): Promise<void> {
    await this.#tell(async (client, options) => {
      if (client?.getProtocolEra() === 'legacy') await client.ping(options)
    })
  }

  async onRootsChanged(): Promise<void> {
    await this.#tell(async (client) => {
      if (client?.getProtocolEra() === 'legacy') await client.sendRootsListChanged()
    })
  }

  /** Nobody waits for it, and without it the server is still of use. */
  async #tell(say: (client: Client | null, options: RequestOptions) => Promise<void>): Promise<void> {
    const options = { timeout: notifyTimeoutMs }
    await say(this.#connection.current?.client ?? null, options).catch((error: unknown) =>
      this.#log(messageOf(error)),
    )
  }

  #log(problem: string): void {
    this.#options.log(`the MCP server ${this.name}: ${problem}`)
  }

  /** Ends the connection, also one that is just being opened; the next call opens another one. */
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
      news: this.#news,
      auth: this.#options.signIn?.(this.config),
      redactor: this.#redactor,
      clock: this.#clock,
      closing,
      onDownload: this.#options.onDownload ?? this.#options.log,
      prepare: async (connection, signal) =>
        void (await this.#lists.fetch(connection, new Set(['tools']), signal)),
    })
    if (isNew) this.#lists.awaitRest()
    return connection
  }

  #onOpen(client: Client): void {
    this.#problems = new ProblemList()
    this.#lists.onChanged('prompts', 'resources')
    void this.#wishes.repeat(client)
  }

  #onListing(lists: ReadonlySet<ListKind>): void {
    for (const listener of this.#listeners) listener.onListing(lists)
  }

  readonly #news = {
    onListChanged: (list: ListKind): void => this.#lists.onChanged(list),
    onNotification: (notification: JSONRPCNotification): void => {
      for (const listener of this.#listeners) listener.onNotification(notification)
    },
    onError: (error: Error): void => this.#onProblem(error),
  }

  /** A start that fails tells of it itself. What is quoted after a colon may be anything, a whole result for one. */
  #onProblem(error: Error): void {
    // Who is told to stop may have sent something already.
    if (!this.connected || /for an unknown (token|message ID)/.test(error.message)) return
    const problem = messageOf(error)
      .replace(/: [{[].*$/s, '')
      .replace(/\s+/g, ' ')
      .slice(0, maxProblemLength)
    if (this.#problems.add(problem)) this.#log(problem)
  }

  /**
   * A call of its was given up. If it answers nothing else either, it is ended, and with it whatever it still does; the
   * next call starts it again.
   */
  async #checkAlive(connection: Connection): Promise<void> {
    if (this.#checking || this.config.target.kind !== 'stdio') return
    this.#checking = true
    const alive = await isAlive(connection.client, this.#clock)
    this.#checking = false
    if (alive || this.#connection.current !== connection) return
    const silence = `a call was given up, and for ${formatDuration(aliveTimeoutMs)} it answered nothing else either`
    this.#options.log(`the MCP server ${this.name} is ended: ${silence}`)
    this.#connection.drop(connection)
  }
}
