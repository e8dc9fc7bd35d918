import { type Clock, CurfewError, formatDuration, type Timer } from '@curfew/core'
import { messageOf, Redactor, systemClock } from '@curfew/core/adapter'
import {
  type Client,
  type JSONRPCNotification,
  type LoggingLevel,
  type Progress,
  type RequestOptions,
  specTypeSchemas,
} from '@modelcontextprotocol/client'
import { fillReference, type Reference, secretNames } from '../config/reference.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { BackOff } from './back-off.ts'
import { connectTo } from './connect-to.ts'
import { type ClientBridge, type Connection, createClient, type ListKind } from './connection.ts'
import { fetchListing } from './fetch-listing.ts'
import { ListRefresher } from './list-refresher.ts'
import type { OAuthSession } from './oauth/oauth-session.ts'
import type { ServerListing, ServerState } from './server-state.ts'
import { StartLimit } from './start-limit.ts'
import { untilAborted } from './until-aborted.ts'
import { LostConnection, upstreamError } from './upstream-error.ts'
import { Wishes } from './wishes.ts'

/** Reads a secret for a server; rejects with what to tell a person if there is none. */
export type SecretReader = (name: string) => Promise<string>

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

export interface UpstreamRequest {
  readonly method: string
  readonly params: Record<string, unknown>
}

export interface UpstreamRequestOptions {
  readonly signal: AbortSignal
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Hand on what a server of 2026-07-28 needs to know first, instead of asking the bridge. */
  readonly allowInputRequired?: boolean | undefined
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

/** The SDK's own limit never fires: deadlines are the scheduler's. */
const never = 2 ** 31 - 1
/** How long a server may take to say that it knows nothing of `server/discover`. */
const probeMs = 5_000
/** A call waits so long for a server to be started again; beyond that it is told. */
const patienceMs = 1_000
const tellMs = 10_000
const everyList: ReadonlySet<ListKind> = new Set(['tools', 'prompts', 'resources'])

/** One MCP server: started when it is needed, started again when it was lost, and never waited for without end. */
export class Upstream {
  readonly config: ServerConfig
  readonly state: ServerState
  readonly #options: UpstreamOptions
  readonly #clock: Clock
  readonly #redactor: Redactor
  readonly #listeners = new Set<UpstreamListener>()
  readonly #wishes = new Wishes()
  readonly #backOff = new BackOff()
  readonly #refresher: ListRefresher
  readonly #closing = new AbortController()
  #connection: Connection | null = null
  #connecting: Promise<Connection> | null = null
  #problem: CurfewError | null = null
  #rest: Promise<void> | null = null
  #endRest = (): void => {}

  constructor(config: ServerConfig, options: UpstreamOptions) {
    this.config = config
    this.state = options.state
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#redactor = options.redactor ?? new Redactor()
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
    return secretNames(this.#references())
  }

  /** Who gets them. */
  get secretUse(): string {
    const { target, name } = this.config
    return target.kind === 'stdio' ? `tool:mcp__${name}` : `host:${new URL(target.url).host}`
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
      const values = await this.#fill(readSecret)
      if (this.#closing.signal.aborted) throw this.#failed(new Error('Curfew is ending'))
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
        return await this.#send(connection, request, options)
      } catch (thrown) {
        signal.throwIfAborted()
        const error = this.#errorOf(thrown, connection)
        if (error.code === 'CREDENTIAL_REQUIRED' || error instanceof LostConnection) this.#drop(connection)
        if (!(error instanceof LostConnection) || !options.repeatable || attempt > 1) throw error
      }
    }
  }

  /** Fetches what it offers, now. */
  async refresh(signal: AbortSignal): Promise<ServerListing> {
    const connection = await this.connect(signal)
    return await this.#fetch(connection, everyList, signal)
  }

  /** From now on it says when this resource changes. */
  async subscribe(uri: string, signal: AbortSignal): Promise<void> {
    const { client } = await this.connect(signal)
    const timeout = this.config.timeoutMs ?? tellMs
    await this.#wishes.subscribe(client, uri, { signal, timeout })
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
      this.#options.log(`the MCP server ${this.name}: ${messageOf(error)}`),
    )
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#refresher.stop()
    const connecting = this.#connecting?.catch(() => null)
    const connection = this.#connection ?? (await connecting) ?? null
    this.#connection = null
    await connection?.transport.close().catch(() => {})
  }

  async #send(
    { client, transport }: Connection,
    { method, params }: UpstreamRequest,
    { signal, onProgress, allowInputRequired = false }: UpstreamRequestOptions,
  ): Promise<Record<string, unknown>> {
    const options: RequestOptions = {
      signal,
      timeout: never,
      allowInputRequired,
      onprogress: (progress) => onProgress?.(progress),
    }
    // Only there are arguments put into headers too; what else `callTool` does is for those who asked.
    const mirrors = method === 'tools/call' && transport.hasPerRequestStream === true
    if (mirrors) return await client.callTool(params as never, options)
    // Given no schema, the SDK looks for one with each request, which costs as much as to check ten results.
    if (method === 'tools/call')
      return await client.request({ method, params }, specTypeSchemas.CallToolResult, options)
    return (await client.request({ method: method as never, params }, options)) as Record<string, unknown>
  }

  #references(): Reference[] {
    const { target } = this.config
    if (target.kind === 'stdio') return Object.values(target.env)
    const { clientSecret } = target.oauth ?? {}
    return [...Object.values(target.headers), ...(clientSecret === undefined ? [] : [clientSecret])]
  }

  /** The environment of a process, or the headers of requests, with their secrets filled in. */
  async #fill(readSecret: SecretReader): Promise<Values> {
    const { target } = this.config
    const values: Record<string, string> = {}
    const read = async (name: string): Promise<string> => {
      const value = await readSecret(name)
      this.#redactor.add(name, value)
      return value
    }
    for (const [name, reference] of Object.entries(target.kind === 'stdio' ? target.env : target.headers)) {
      values[name] = await fillReference(reference, read)
    }
    return values
  }

  async #open(values: Values): Promise<Connection> {
    const limit = new StartLimit(this.#clock, this.config.startTimeoutMs)
    const stop = (): void => limit.abort(new Error('Curfew is ending'))
    this.#closing.signal.addEventListener('abort', stop, { once: true })
    const startedAt = this.#clock.now()
    const isNew = this.state.listing === null
    try {
      const connection = await this.#handshake(values, limit)
      await this.#firstList(connection, limit.signal)
      this.#onConnected(connection, startedAt)
      if (isNew) this.#awaitRest()
      return connection
    } catch (error) {
      const { aborted, reason } = limit.signal
      this.#problem = this.#failed(aborted ? withReason(reason, error) : error)
      this.#backOff.onFailure(this.#clock.now(), 0)
      throw this.#problem
    } finally {
      limit.end()
      this.#closing.signal.removeEventListener('abort', stop)
    }
  }

  #onConnected(connection: Connection, startedAt: number): void {
    this.#connection = connection
    this.#problem = null
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
    void this.#tell(() => this.#wishes.repeat(connection.client, { timeout: tellMs }))
  }

  #awaitRest(): void {
    this.#rest = new Promise((resolve) => {
      this.#endRest = () => {
        this.#rest = null
        resolve()
      }
    })
  }

  async #firstList(connection: Connection, signal: AbortSignal): Promise<void> {
    try {
      await this.#fetch(connection, new Set(['tools']), signal)
      // To remember it may have taken a while.
      signal.throwIfAborted()
      if (connection.client.transport === undefined) throw new Error('it closed the connection')
    } catch (error) {
      await connection.transport.close().catch(() => {})
      const how = connection.ending()
      throw how === null ? error : new Error(`${messageOf(error)} (${how})`, { cause: error })
    }
  }

  /** A server of before 2026 may end at the first message that it does not know: then it is started once more. */
  async #handshake(values: Values, limit: StartLimit): Promise<Connection> {
    const knownEra = this.state.listing?.era
    try {
      return await this.#attempt(values, knownEra === 'legacy', limit)
    } catch (error) {
      const isProbe = knownEra !== 'legacy' && this.config.target.kind === 'stdio' && endedAtProbe(error)
      if (!isProbe || limit.signal.aborted) throw error
      return await this.#attempt(values, true, limit)
    }
  }

  async #attempt(values: Values, legacy: boolean, limit: StartLimit): Promise<Connection> {
    const { target, startTimeoutMs } = this.config
    // A process that is silent may be an old one. A remote server is slow, or a person signs in.
    const patience = target.kind === 'stdio' ? Math.min(probeMs, startTimeoutMs / 2) : never
    const client = createClient(this.#options.bridge, this.#news, patience)
    const auth = this.#options.signIn?.(this.config)
    // While a person signs in, nobody is late.
    const unheard = auth?.onAsking((asking) => (asking ? limit.pause() : limit.resume()))
    const way = { target, values, auth, redactor: this.#redactor, clock: this.#clock }
    const options = {
      signal: limit.signal,
      timeout: never,
      ...(legacy && { prior: { kind: 'legacy' as const } }),
    }
    try {
      return await connectTo(client, way, options)
    } finally {
      unheard?.()
    }
  }

  readonly #news = {
    onListChanged: (list: ListKind): void => this.#refresher.add(list),
    onNotification: (notification: JSONRPCNotification): void => {
      for (const listener of this.#listeners) listener.onNotification(notification)
    },
    onError: (): void => {},
  }

  /** It cannot be used any more, whatever it thinks itself. */
  #drop(connection: Connection): void {
    if (this.#connection !== connection) return
    this.#connection = null
    void connection.transport.close().catch(() => {})
  }

  async #waitToStart(signal: AbortSignal): Promise<void> {
    const wait = this.#backOff.waitMs(this.#clock.now())
    if (wait === 0 || this.#connecting !== null) return
    if (wait > patienceMs) {
      const last = this.#problem === null ? '' : `: ${this.#problem.message}`
      const message = `the MCP server ${this.name} is started again in ${formatDuration(Math.ceil(wait))}${last}`
      throw new CurfewError('TRANSPORT_FAILED', message)
    }
    let timer: Timer | undefined
    const waited = new Promise<void>((resolve) => {
      timer = this.#clock.setTimer(wait, resolve)
    })
    await untilAborted(waited, signal).finally(() => this.#clock.clearTimer(timer!))
  }

  async #refresh(lists: ReadonlySet<ListKind>): Promise<void> {
    const connection = this.#connection
    if (connection === null) return this.#endRest()
    const limit = new StartLimit(this.#clock, this.config.startTimeoutMs)
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
    const listing = await fetchListing(
      connection.client,
      this.state.listing,
      lists,
      { signal, timeout: never },
      (problem) => log(`the MCP server ${this.name}: ${problem}`),
    )
    await this.state.remember(listing).catch((error: unknown) => log(messageOf(error)))
    if (this.state.changed.length > 0) {
      const names = this.state.changed.map(({ name }) => name).join(', ')
      log(`the MCP server ${this.name} changed ${names}; curfew mcp approve ${this.name} shows how`)
    }
    for (const listener of this.#listeners) listener.onListing(lists)
    return listing
  }

  #errorOf(error: unknown, connection?: Connection): CurfewError {
    const [secret] = this.secrets
    return upstreamError(error, this.name, { secret, ending: connection?.ending() ?? null })
  }

  #failed(error: unknown): CurfewError {
    const known = this.#errorOf(error)
    if (known.code === 'CREDENTIAL_REQUIRED') return known
    const message = `the MCP server ${this.name} could not be started: ${messageOf(error)}`
    return new CurfewError('TRANSPORT_FAILED', this.#redactor.text(message), { cause: error })
  }
}

type Values = Readonly<Record<string, string>>

/** The SDK takes it for an answer; only that the process is gone tells. */
function endedAtProbe(error: unknown): boolean {
  return /closed during the server\/discover probe/.test(messageOf(error))
}

function withReason(reason: unknown, error: unknown): Error {
  const said = /; it (?:said|printed): .*/s.exec(messageOf(error))?.[0].replace(/\)$/, '') ?? ''
  return new Error(`${messageOf(reason)}${said}`)
}
