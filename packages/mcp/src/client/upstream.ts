import { type Clock, CurfewError, formatDuration } from '@curfew/core'
import { messageOf, Redactor, systemClock } from '@curfew/core/adapter'
import type { Client, JSONRPCNotification, LoggingLevel, RequestOptions } from '@modelcontextprotocol/client'
import type { ServerConfig } from '../config/server-config.ts'
import { BackOff } from './back-off.ts'
import { Complaints } from './complaints.ts'
import type { ClientBridge, Connection, ListKind } from './connection.ts'
import { fetchListing } from './fetch-listing.ts'
import { aliveMs, isAlive } from './is-alive.ts'
import { ListRefresher } from './list-refresher.ts'
import { never } from './never.ts'
import type { OAuthSession } from './oauth/oauth-session.ts'
import { type SendOptions, sendRequest, type UpstreamRequest } from './send-request.ts'
import {
  type FilledValues,
  fillValues,
  refusedSecretOf,
  type SecretReader,
  secretsOf,
  secretUseOf,
} from './server-secrets.ts'
import type { ServerListing, ServerState } from './server-state.ts'
import { StartLimit } from './start-limit.ts'
import { startServer } from './start-server.ts'
import { untilAborted } from './until-aborted.ts'
import { LostConnection, upstreamError } from './upstream-error.ts'
import { waitAtMost } from './wait-at-most.ts'
import { Wishes } from './wishes.ts'

/** What a connection needs of whoever holds it. */
export interface UpstreamOptions {
  readonly state: ServerState
  /** For connecting when no call is under way. */
  readonly readSecret: SecretReader
  /** Without it, the server is told that nobody can be asked. */
  readonly bridge?: ClientBridge | undefined
  /** Without it nobody can sign in. */
  readonly signIn?: SignIn | undefined
  /** Takes what the server was given in secret out of all that it says. */
  readonly redactor?: Redactor | undefined
  readonly log: (message: string) => void
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
  /** The lists are there, or are others than before. */
  onListing(changed: ReadonlySet<ListKind>): void
  onNotification(notification: JSONRPCNotification): void
}

/** A call waits so long for a server to be started again; beyond that it is told. */
const patienceMs = 1_000
const tellMs = 10_000
/** For what no call is made of, where the configuration says nothing. */
const askMs = 60_000
/** For the log. */
const longestProblem = 300
const everyList: ReadonlySet<ListKind> = new Set(['tools', 'prompts', 'resources'])

/** One MCP server: started when it is needed, started again when it was lost, and never waited for without end. */
export class Upstream {
  readonly config: ServerConfig
  readonly state: ServerState
  readonly #options: UpstreamOptions
  readonly #clock: Clock
  readonly #redactor: Redactor
  readonly #listeners = new Set<UpstreamListener>()
  readonly #wishes: Wishes
  readonly #backOff = new BackOff()
  readonly #refresher: ListRefresher
  readonly #closing = new AbortController()
  #connection: Connection | null = null
  #connecting: Promise<Connection> | null = null
  #problem: CurfewError | null = null
  #rest: Promise<void> | null = null
  #checking = false
  /** Until all that was given up has ended. */
  #dropping: Promise<void> = Promise.resolve()
  #endRest = (): void => {}
  /** Of this connection. */
  #problems = new Complaints()
  /** What was last wrong with which lists. */
  readonly #complaints = new Map<string, string>()
  /** The changed tools that were last spoken of. */
  #told = ''

  constructor(config: ServerConfig, options: UpstreamOptions) {
    this.config = config
    this.state = options.state
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#redactor = options.redactor ?? new Redactor()
    this.#wishes = new Wishes({ clock: this.#clock, timeoutMs: tellMs, log: (problem) => this.#log(problem) })
    this.#refresher = new ListRefresher(this.#clock, (lists) => this.#refresh(lists))
  }

  get name(): string {
    return this.config.name
  }

  get connected(): boolean {
    return this.#connection !== null
  }

  /** What it offers, as far as that is known without starting it. */
  get listing(): ServerListing | null {
    return this.state.listing
  }

  /** While the other lists of a server that is seen for the first time are fetched: calls need only the tools. */
  get rest(): Promise<void> | null {
    return this.#rest
  }

  /** Why it could not be started last time. */
  get problem(): CurfewError | null {
    return this.#problem
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
    if (this.#connection !== null) return this.#connection
    if (this.#closing.signal.aborted) throw this.#failed(new Error('Curfew is ending'))
    await this.#waitToStart(signal)
    if (this.#connecting === null) {
      const values = await fillValues(this.config, this.#hiding(readSecret)).catch((error: unknown) => {
        this.#problem = this.#errorOf(error)
        throw error
      })
      if (this.#closing.signal.aborted) throw this.#failed(new Error('Curfew is ending'))
      // Another call, which had its key sooner, may have started it meanwhile.
      if (this.#connection !== null) return this.#connection
      this.#connecting ??= this.#open(values).finally(() => {
        this.#connecting = null
      })
    }
    return await untilAborted(this.#connecting, signal)
  }

  /** Asks the server. Rejects with a `CurfewError`, or with the signal's reason. */
  async request(request: UpstreamRequest, options: UpstreamRequestOptions): Promise<Record<string, unknown>> {
    const { signal, readSecret } = options
    for (let attempt = 1; ; attempt++) {
      const connection = await this.connect(signal, readSecret)
      await options.beforeSend?.()
      try {
        return await sendRequest(connection, request, options)
      } catch (thrown) {
        if (signal.aborted) void this.#checkAlive(connection)
        signal.throwIfAborted()
        const error = this.#errorOf(thrown, connection)
        if (error.code === 'CREDENTIAL_REQUIRED' || error instanceof LostConnection) this.#drop(connection)
        if (!(error instanceof LostConnection) || !options.repeatable || attempt > 1) throw error
      }
    }
  }

  /** Somebody may have approved meanwhile what it changed; then its tools are listed as they are now. */
  async recheck(): Promise<void> {
    const before = this.state.changed.length
    await this.state.refresh()
    if (this.state.changed.length === before) return
    for (const listener of this.#listeners) listener.onListing(new Set(['tools']))
  }

  /** Fetches what it offers, now. */
  async refresh(signal: AbortSignal): Promise<ServerListing> {
    const connection = await this.connect(signal)
    return await this.#fetch(connection, everyList, signal)
  }

  /** From now on it says when this resource changes. */
  async subscribe(uri: string, signal: AbortSignal): Promise<void> {
    const connection = await this.connect(signal)
    const options = { signal, timeout: this.config.timeoutMs ?? askMs }
    await this.#wishes.subscribe(connection.client, uri, options).catch((error: unknown) => {
      throw this.#errorOf(error, connection)
    })
  }

  async unsubscribe(uri: string): Promise<void> {
    await this.#tell((client, options) => this.#wishes.unsubscribe(client, uri, options))
  }

  /** How much of its log it is to send. */
  async setLogLevel(level: LoggingLevel | undefined): Promise<void> {
    await this.#tell((client, options) => this.#wishes.setLevel(client, level, options))
  }

  async onRootsChanged(): Promise<void> {
    await this.#tell(async (client) => {
      if (client?.getProtocolEra() === 'legacy') await client.sendRootsListChanged()
    })
  }

  /** Nobody waits for it, and without it the server is still of use. */
  async #tell(say: (client: Client | null, options: RequestOptions) => Promise<void>): Promise<void> {
    const options = { timeout: tellMs }
    await say(this.#connection?.client ?? null, options).catch((error: unknown) =>
      this.#log(messageOf(error)),
    )
  }

  #log(problem: string): void {
    this.#options.log(`the MCP server ${this.name}: ${problem}`)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#refresher.stop()
    const connecting = this.#connecting?.catch(() => null)
    const connection = this.#connection ?? (await connecting) ?? null
    this.#connection = null
    await Promise.all([connection?.transport.close().catch(() => {}), this.#dropping])
  }

  /** What it is given it must not give away. */
  #hiding(readSecret: SecretReader): SecretReader {
    return async (name) => {
      const value = await readSecret(name)
      this.#redactor.add(name, value)
      return value
    }
  }

  async #open(values: FilledValues): Promise<Connection> {
    const startedAt = this.#clock.now()
    const isNew = this.state.listing === null
    try {
      // Two of one server could be in each other's way.
      await this.#dropping
      if (this.#closing.signal.aborted) throw new Error('Curfew is ending')
      const connection = await startServer({
        config: this.config,
        values,
        knownEra: this.state.listing?.era,
        bridge: this.#options.bridge,
        news: this.#news,
        auth: this.#options.signIn?.(this.config),
        redactor: this.#redactor,
        clock: this.#clock,
        closing: this.#closing.signal,
        prepare: async (connection, signal) =>
          void (await this.#fetch(connection, new Set(['tools']), signal)),
      })
      this.#onConnected(connection, startedAt)
      if (isNew) this.#awaitRest()
      return connection
    } catch (error) {
      this.#problem = this.#failed(error)
      this.#backOff.onFailure(this.#clock.now(), 0)
      throw this.#problem
    }
  }

  #onConnected(connection: Connection, startedAt: number): void {
    this.#connection = connection
    this.#problem = null
    this.#problems = new Complaints()
    connection.client.onclose = () => {
      if (this.#connection !== connection) return
      this.#connection = null
      if (this.#closing.signal.aborted) return
      const now = this.#clock.now()
      this.#backOff.onFailure(now, now - startedAt)
      this.#problem = new LostConnection(this.name, connection.ending() ?? 'it closed the connection')
      this.#options.log(this.#problem.message)
    }
    this.#refresher.add('prompts', 'resources')
    void this.#wishes.repeat(connection.client)
  }

  #awaitRest(): void {
    this.#rest = new Promise((resolve) => {
      this.#endRest = () => {
        this.#rest = null
        resolve()
      }
    })
  }

  readonly #news = {
    onListChanged: (list: ListKind): void => this.#refresher.add(list),
    onNotification: (notification: JSONRPCNotification): void => {
      for (const listener of this.#listeners) listener.onNotification(notification)
    },
    onError: (error: Error): void => this.#onProblem(error),
  }

  /** A start that fails tells of it itself. What is quoted after a colon may be anything, a whole result for one. */
  #onProblem(error: Error): void {
    if (this.#connection === null) return
    const problem = messageOf(error)
      .replace(/: [{[].*$/s, '')
      .replace(/\s+/g, ' ')
      .slice(0, longestProblem)
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
    if (alive || this.#connection !== connection) return
    const silence = `a call was given up, and for ${formatDuration(aliveMs)} it answered nothing else either`
    this.#options.log(`the MCP server ${this.name} is ended: ${silence}`)
    this.#drop(connection)
  }

  /** It cannot be used any more, whatever it thinks itself. */
  #drop(connection: Connection): void {
    if (this.#connection !== connection) return
    this.#connection = null
    const others = this.#dropping
    this.#dropping = connection.transport.close().then(
      () => others,
      () => others,
    )
  }

  async #waitToStart(signal: AbortSignal): Promise<void> {
    const wait = this.#backOff.waitMs(this.#clock.now())
    if (wait === 0 || this.#connecting !== null) return
    if (wait > patienceMs) {
      const last = this.#problem === null ? '' : `: ${this.#problem.message}`
      const message = `the MCP server ${this.name} is started again in ${formatDuration(Math.ceil(wait))}${last}`
      throw new CurfewError('TRANSPORT_FAILED', message)
    }
    await waitAtMost(this.#clock, wait, (over) => untilAborted(over, signal))
  }

  async #refresh(lists: ReadonlySet<ListKind>): Promise<void> {
    const connection = this.#connection
    if (connection === null) return this.#endRest()
    const setting = 'startTimeout, which is the limit for its lists, too'
    const limit = new StartLimit(this.#clock, this.config.startTimeoutMs, setting)
    try {
      await this.#fetch(connection, lists, limit.signal)
    } catch (error) {
      this.#options.log(`the lists of the MCP server ${this.name} could not be fetched: ${messageOf(error)}`)
    } finally {
      limit.end()
      this.#endRest()
    }
  }

  async #fetch(
    connection: Connection,
    lists: ReadonlySet<ListKind>,
    signal: AbortSignal,
  ): Promise<ServerListing> {
    const { log } = this.#options
    const complaints = new Complaints()
    const listing = await fetchListing({
      client: connection.client,
      known: this.state.listing,
      lists,
      options: { signal, timeout: never },
      report: (problem) => void complaints.add(problem),
    }).finally(() => this.#complain(lists, complaints.lines))
    await this.state.remember(listing).catch((error: unknown) => log(messageOf(error)))
    const unused = listing.tools.length - (this.state.listing?.tools.length ?? 0)
    if (unused > 0) {
      const advice = `if they are wanted, remove ${this.state.file}`
      log(`the MCP server ${this.name} has shown too many tools; ${unused} new ones are not used; ${advice}`)
    }
    const changed = this.state.changed.map(({ name }) => name).join(', ')
    if (changed !== '' && changed !== this.#told)
      log(`the MCP server ${this.name} changed ${changed}; curfew mcp approve ${this.name} shows how`)
    this.#told = changed
    for (const listener of this.#listeners) listener.onListing(lists)
    return listing
  }

  /** Lists are fetched again and again; what is wrong with them is said when it is something else than before. */
  #complain(lists: ReadonlySet<ListKind>, problems: readonly string[]): void {
    const kinds = [...lists].sort().join()
    const before = this.#complaints.get(kinds) ?? ''
    this.#complaints.set(kinds, problems.join('\n'))
    if (problems.join('\n') !== before) for (const problem of problems) this.#log(problem)
  }

  #errorOf(error: unknown, connection?: Connection): CurfewError {
    const secret = refusedSecretOf(this.config)
    return upstreamError(error, this.name, { secret, ending: connection?.ending() ?? null })
  }

  #failed(error: unknown): CurfewError {
    const known = this.#errorOf(error)
    if (known.code === 'CREDENTIAL_REQUIRED') return known
    const message = `the MCP server ${this.name} could not be started: ${messageOf(error)}`
    return new CurfewError('TRANSPORT_FAILED', this.#redactor.text(message), { cause: error })
  }
}
