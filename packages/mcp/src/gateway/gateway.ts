import {
  type Clock,
  createRuntime,
  parseDuration,
  type QuestionHandler,
  type Runtime,
  type RuntimeOptions,
  type Tool,
} from '@curfew/core'
import { messageOf, systemClock, usualApprovalTimeoutMs } from '@curfew/core/adapter'
import { didYouMean } from '@curfew/core/did-you-mean'
import {
  type JSONRPCNotification,
  type LoggingLevel,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server'
import type { ListKind } from '../client/connection.ts'
import { openUpstreams, type UpstreamsOptions } from '../client/open-upstreams.ts'
import { textOfResult } from '../client/result-text.ts'
import type { Upstream } from '../client/upstream.ts'
import { requestToolName } from '../client/upstream-tools.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { toCallToolResult, toRequestResult } from './call-result.ts'
import { Catalog, type CatalogOptions, definitionOf } from './catalog.ts'
import type { Exchange } from './exchange.ts'
import type { Fields } from './fields.ts'
import { instructionsFor } from './instructions.ts'
import { lowestLevel } from './log-levels.ts'
import { Parked } from './parked.ts'
import { answerQuestion } from './questions.ts'
import { Routes } from './routes.ts'
import { searchTool } from './search-tools.ts'
import { Session } from './session.ts'
import { signQuestions } from './signed-questions.ts'
import { Subscriptions } from './subscriptions.ts'
import { TurnClock } from './turn-clock.ts'
import { UpstreamLists } from './upstream-lists.ts'

export interface GatewayOptions
  extends Partial<CatalogOptions>,
    Pick<UpstreamsOptions, 'stateFolder' | 'log' | 'tokens'> {
  /** For the runtime. Without rules every call runs: the gate is the client's own prompt. */
  readonly runtime: RuntimeOptions
  /** Served beside those of the servers. */
  readonly tools: readonly Tool[]
  readonly servers: readonly ServerConfig[]
}

/** A list is there after so long, with what is known by then. */
export const listPatienceMs = 8_000
/** A server that hangs must not take the slots of the others. */
const concurrency = 256
/** A level cannot be taken back; this is what most servers send unasked. */
const usualLevel: LoggingLevel = 'info'
/** For loops and logs; the whole result is passed on as it is. */
const mostText = 4_096

/** Serves tools, and all else that the servers behind it have, to any number of clients. Every call goes through one runtime. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { runtime: runtimeOptions } = options
  const { view = 'brief', allow = [], deny = [], unprefixed = false, nameLimit = 64 } = options
  const clock = runtimeOptions.clock ?? systemClock
  const patienceMs = parseDuration(
    runtimeOptions.approvalTimeout ?? usualApprovalTimeoutMs,
    'approvalTimeout',
  )
  const routes = new Routes(clock, patienceMs, options.servers.length)
  const { log } = runtimeOptions
  const runtime = createRuntime({
    concurrency,
    ...runtimeOptions,
    view,
    log: (entry) => {
      routes.onLogEntry(entry)
      if (entry.heartbeat === undefined) log?.(entry)
    },
  })
  routes.attach(runtime)
  const upstreams = await openUpstreams(options.servers, {
    ...options,
    bridgeFor: (server) => routes.bridgeFor(server),
    vault: runtimeOptions.vault,
    hideSecret: runtime.hideSecret,
    openSignIn: (page) => routes.openSignIn(page),
    clock,
  })
  return new Gateway(runtime, routes, upstreams, clock, patienceMs, {
    tools: options.tools,
    log: options.log,
    catalog: { view, allow, deny, unprefixed, nameLimit },
  })
}

export class Gateway {
  readonly runtime: Runtime
  readonly routes: Routes
  readonly catalog: Catalog
  readonly lists: UpstreamLists
  readonly parked: Parked
  readonly subscriptions: Subscriptions = new Subscriptions()
  readonly clock: Clock
  readonly #upstreams: readonly Upstream[]
  readonly #closing = new AbortController()
  /** Those whose tools are in the catalogue. A listing is remembered a little earlier. */
  readonly #known = new Set<Upstream>()
  readonly #waitingSince = new Map<Upstream, number>()
  /** Why a server could not be started, as it was last logged. */
  readonly #said = new Map<Upstream, string>()
  readonly #listListeners = new Set<(list: ListKind) => void>()
  readonly #resourceListeners = new Set<(uri: string) => void>()
  readonly #options: CatalogOptions
  /** Clients that come with one request each are one client. */
  readonly #turn: TurnClock
  readonly #log: (message: string) => void
  #levelWasSet = false

  constructor(
    runtime: Runtime,
    routes: Routes,
    upstreams: readonly Upstream[],
    clock: Clock,
    patienceMs: number,
    options: Pick<GatewayOptions, 'tools' | 'log'> & { readonly catalog: CatalogOptions },
  ) {
    this.#options = options.catalog
    this.#log = options.log
    this.runtime = runtime
    this.routes = routes
    this.clock = clock
    this.#turn = new TurnClock(clock)
    this.#upstreams = upstreams
    this.lists = new UpstreamLists(upstreams)
    this.parked = new Parked(clock, patienceMs)
    const search = this.#options.view === 'stub' ? [searchTool(() => this.catalog.entries)] : []
    this.catalog = new Catalog(runtime, [...search, ...options.tools], upstreams, this.#options, {
      passedCall: (callId) => routes.get(callId),
      textOf: (result) => textOfResult(result).slice(0, mostText),
    })
    runtime.onQuestion(this.#answer)
    for (const upstream of upstreams) {
      if (upstream.listing !== null) this.#known.add(upstream)
      upstream.listen({
        onListing: (lists) => this.#onListing(upstream, lists),
        onNotification: (notification) => this.#onNotification(upstream, notification),
      })
      if (upstream.config.eager) void this.#start(upstream, 'tools')
    }
  }

  /** What a client is told about us; `null` if there is nothing to say. */
  get instructions(): string | null {
    return instructionsFor(this.#upstreams, this.#options.view)
  }

  /** A server for one connection; or, where `lasting` is false, for one request. */
  createServer(era: 'legacy' | 'modern', lasting = true): Server {
    const session = new Session(this, era, lasting ? new TurnClock(this.clock) : this.#turn)
    if (lasting) {
      this.routes.sessions.add(session)
      session.server.onclose = () => {
        this.routes.sessions.delete(session)
        this.subscriptions.removeAll(session)
        this.syncLogLevel()
      }
    }
    return session.server
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

  /** What is asked of every server is known, or has had its time. Only one that was never seen is started for that. */
  async ready(signal: AbortSignal, what: 'tools' | 'all'): Promise<void> {
    const unknown = this.#upstreams.filter(
      (upstream) => !this.#known.has(upstream) || (what === 'all' && upstream.rest !== null),
    )
    if (unknown.length === 0) return
    const starts = Promise.all(unknown.map((upstream) => this.#start(upstream, what)))
    const now = this.clock.now()
    const patience =
      Math.max(...unknown.map((upstream) => this.#waitingSince.get(upstream)!)) + listPatienceMs - now
    if (patience <= 0) return
    await new Promise<void>((resolve) => {
      const end = (): void => {
        this.clock.clearTimer(timer)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = this.clock.setTimer(patience, end)
      signal.addEventListener('abort', end, { once: true })
      void starts.then(end)
    })
  }

  /** Whoever calls one of its tools hears why it cannot be had. */
  async #start(upstream: Upstream, what: 'tools' | 'all'): Promise<void> {
    if (!this.#waitingSince.has(upstream)) this.#waitingSince.set(upstream, this.clock.now())
    await upstream.connect(this.#closing.signal).catch((error: unknown) => this.#onNoStart(upstream, error))
    if (what === 'all') await upstream.rest
  }

  /** Its tools are simply not listed; so whoever looks for them must find out why, once. */
  #onNoStart(upstream: Upstream, error: unknown): void {
    const why = upstream.problem?.message ?? messageOf(error)
    if (this.#closing.signal.aborted || this.#said.get(upstream) === why) return
    this.#said.set(upstream, why)
    this.#log(why)
  }

  /** `tools/call`. */
  async call(exchange: Exchange, name: string, params: Fields, turn: string): Promise<unknown> {
    if (this.catalog.get(name) === undefined) await this.ready(exchange.signal, 'tools')
    const entry = this.catalog.get(name)
    if (entry === undefined) throw this.#unknownTool(name)
    const result = await this.#execute(exchange, entry.tool.name, params, turn)
    if (result.status === 'success' && result.loaded) {
      const definition = JSON.stringify(definitionOf(entry, 'brief'))
      const text = `${name} is loaded and did not run. Call it again with arguments for:\n${definition}`
      return { content: [{ type: 'text', text }] }
    }
    return this.#signed(entry.upstream?.upstream, toCallToolResult(result, entry))
  }

  /** Any other request that one of the servers answers. */
  async forward(exchange: Exchange, method: string, params: Fields, turn: string): Promise<Fields> {
    await this.ready(exchange.signal, 'all')
    const { upstream, own } = this.#ownerOf(method, params)
    const result = await this.#execute(exchange, requestToolName(upstream), { method, params: own }, turn)
    return this.#signed(upstream, toRequestResult(result, upstream))
  }

  #signed<R extends Fields>(upstream: Upstream | undefined, result: R): R {
    return upstream === undefined || this.#upstreams.length === 1
      ? result
      : signQuestions(upstream.name, result)
  }

  async #execute(exchange: Exchange, name: string, params: Fields, turn: string) {
    const remove = this.routes.add(exchange)
    try {
      const calls = [{ id: exchange.id, name, params }]
      const [result] = await this.runtime.execute(calls, { signal: exchange.signal, turn })
      return result!
    } finally {
      remove()
    }
  }

  #ownerOf(method: string, params: Fields): { readonly upstream: Upstream; readonly own: Fields } {
    if (method === 'prompts/get') {
      const { upstream, name } = this.lists.ownerOfPrompt(String(params.name))
      return { upstream, own: { ...params, name } }
    }
    if (method === 'resources/read') {
      return { upstream: this.lists.ownerOfResource(String(params.uri)), own: params }
    }
    const ref = params.ref as { readonly type: string; readonly name?: string; readonly uri?: string }
    if (ref.type === 'ref/resource')
      return { upstream: this.lists.ownerOfResource(String(ref.uri)), own: params }
    const { upstream, name } = this.lists.ownerOfPrompt(String(ref.name))
    return { upstream, own: { ...params, ref: { ...ref, name } } }
  }

  #unknownTool(name: string): ProtocolError {
    const message = `there is no tool ${JSON.stringify(name)}; ${this.#whyUnknown(name)}`
    return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
  }

  #whyUnknown(tool: string): string {
    const missing = this.#upstreams.filter((upstream) => !this.#known.has(upstream))
    const owner = missing.find(({ name }) => tool.startsWith(`mcp__${name}__`))
    if (owner !== undefined) return owner.problem?.message ?? `the MCP server ${owner.name} is still starting`
    const names = [...this.catalog.entries].map(({ name }) => name)
    const hint = didYouMean(tool, names)
    if (hint !== '') return hint
    const where =
      this.#options.view === 'stub' ? 'search_tools finds those that there are' : 'look at the list'
    if (missing.length === 0) return where
    return `${where}, in which these MCP servers are missing: ${missing.map(({ name }) => name).join(', ')}`
  }

  /** A client of 2025 wants to hear of a resource. */
  async subscribe(uri: string, holder: object, signal: AbortSignal): Promise<void> {
    await this.ready(signal, 'all')
    signal.throwIfAborted()
    await this.subscriptions.add(uri, holder, this.lists.ownerOfResource(uri), signal)
  }

  /** One of 2026 listens; returns what to do when it does not any more. */
  listen(uris: readonly string[]): () => void {
    const left = new AbortController()
    const signal = AbortSignal.any([left.signal, this.#closing.signal])
    for (const uri of uris) {
      this.subscribe(uri, left, signal).catch((error: unknown) => {
        if (!signal.aborted) this.#log(`changes of ${uri} will not be told: ${messageOf(error)}`)
      })
    }
    return () => {
      left.abort()
      this.subscriptions.removeAll(left)
    }
  }

  /** The servers send what the most curious of the clients wants to hear. */
  syncLogLevel(): void {
    const wanted = [...this.routes.sessions].flatMap(({ logLevel }) =>
      logLevel === undefined ? [] : [logLevel],
    )
    if (wanted.length > 0) this.#levelWasSet = true
    const level = lowestLevel(wanted) ?? (this.#levelWasSet ? usualLevel : undefined)
    for (const upstream of this.#upstreams) void upstream.setLogLevel(level)
  }

  onRootsChanged(): void {
    for (const upstream of this.#upstreams) void upstream.onRootsChanged()
  }

  /** Questions of the runtime go to the client whose call puts them. */
  readonly #answer: QuestionHandler = async (question, { signal }) => {
    const exchange = this.routes.get(question.callId)
    return exchange === undefined ? undefined : await answerQuestion(question, exchange, signal)
  }

  #onListing(upstream: Upstream, lists: ReadonlySet<ListKind>): void {
    for (const list of lists) {
      if (list === 'tools') this.#known.add(upstream)
      if (list === 'tools' && !this.catalog.update(upstream)) continue
      for (const session of this.routes.sessions) session.sendListChanged(list)
      for (const listener of this.#listListeners) listener(list)
    }
  }

  #onNotification(upstream: Upstream, notification: JSONRPCNotification): void {
    this.routes.onNotification(upstream, notification)
    if (notification.method !== 'notifications/resources/updated') return
    for (const listener of this.#resourceListeners) listener(String(notification.params?.uri))
  }

  /** Cancels every call and ends every server. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('Curfew is ending'))
    this.parked.close()
    await this.runtime.close()
    await Promise.all(this.#upstreams.map((upstream) => upstream.close()))
  }
}
