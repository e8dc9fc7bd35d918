import { randomUUID } from 'node:crypto'
import type { Runtime } from '@curfew/core'
import type { Clock, LogEntry } from '@curfew/core/internal'
import {
  type JSONRPCNotification,
  type LoggingLevel,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { abortable } from '../async/abortable.ts'
import { withTimer } from '../async/with-timer.ts'
import {
  type BridgedMethod,
  bridgedCapabilities,
  type ClientBridge,
} from '../client/connection/client-bridge.ts'
import type { SignInPage } from '../client/oauth/authorize.ts'
import type { Upstream } from '../client/upstream.ts'
import { canElicit } from './can-elicit.ts'
import type { ClientConnections } from './client-connections.ts'
import type { ClientRequest, LogMessage } from './client-request.ts'
import type { Fields } from './json-object.ts'
import { labelQuestion } from './label-questions.ts'
import { ServerCalls } from './server-calls.ts'
import type { Session } from './session.ts'

/** What servers take to put the folders that they were given to use: longer where a round trip takes longer. */
const rootsSettle = { minMs: 50, maxMs: 1_000, roundTrips: 10 }
/** A call waits no longer than this for a client that does not say which folders it has. */
const rootsTimeoutMs = 5_000
const noRoots: Fields = { roots: [] }
/** In one call. */
const maxQuestions = 100

/** Elicitations whose end a server may still report. */
const maxElicitations = 1_000

/** Who is talking to whom: which client's call a server has, and so who is meant by what that server says or asks. */
export class MessageRouter {
  readonly sessions: Set<Session> = new Set()
  readonly #clock: Clock
  readonly #askTimeoutMs: number
  readonly #several: boolean
  readonly #exchanges = new Map<string, ClientRequest>()
  readonly #calls = new WeakMap<Upstream, ServerCalls>()
  /** Which client was asked, by the connection and the server's id for it. */
  readonly #elicitations = new Map<string, object>()
  /** Connections whose server asked for folders as it was started, until it has them. */
  readonly #settling = new WeakMap<Upstream, Promise<void>>()
  #pause: Runtime['pause'] = () => () => {}
  #connections: ClientConnections | null = null

  constructor(clock: Clock, askTimeoutMs: number, servers: number) {
    this.#clock = clock
    this.#several = servers > 1
    this.#askTimeoutMs = askTimeoutMs
  }

  /** The runtime's log leads here, so the runtime comes later. */
  attach({ pause }: Runtime): void {
    this.#pause = pause
  }

  /** What servers ask is put to clients by way of these. */
  attachConnections(connections: ClientConnections): void {
    this.#connections = connections
  }

  add(exchange: ClientRequest): () => void {
    this.#exchanges.set(exchange.id, exchange)
    return () => {
      this.#exchanges.delete(exchange.id)
    }
  }

  /** The exchange that a call of the runtime belongs to. */
  get(callId: string): ClientRequest | undefined {
    return this.#exchanges.get(callId)
  }

  /** A call goes to a server. Returns what to call at its end: `answered` is false if nobody waited for that. */
  onSent(exchange: ClientRequest, connection: Upstream): (answered: boolean) => void {
    return this.callsAt(connection).add(exchange)
  }

  callsAt(connection: Upstream): ServerCalls {
    const calls = this.#calls.get(connection) ?? new ServerCalls(this.#clock)
    this.#calls.set(connection, calls)
    return calls
  }

  /** Answers what a server asks of its client on one connection. */
  bridgeFor(connection: () => Upstream): ClientBridge {
    return {
      capabilities: bridgedCapabilities,
      request: async (method, params, signal) => {
        const from = connection()
        const { open, asking } = this.callsAt(from)
        if (method === 'roots/list') return await this.#listRoots(from, params, signal)
        if (asking !== undefined) {
          const signed = labelQuestion(this.#several ? from.name : null, method, params)
          this.#rememberElicitation(from, params, asking)
          return await this.#ask(asking, method, signed, signal)
        }
        const why =
          open.length === 0
            ? 'there is no call that this could belong to'
            : 'several clients have calls here, and it does not say which of them it asks'
        throw new ProtocolError(ProtocolErrorCode.InvalidRequest, why)
      },
    }
  }

  async #listRoots(from: Upstream, params: Fields, signal: AbortSignal): Promise<Fields> {
    const roots = this.#rootsFor(from, params, signal)
    if (!from.connected) this.#settling.set(from, this.#settle(from, roots))
    return await roots
  }

  /**
   * A server that asked for folders as it was started has them, or has been waited for long enough. No server says when it
   * has put them to use, and a call before that is refused.
   */
  async rootsSettled(connection: Upstream, signal: AbortSignal): Promise<void> {
    const settling = this.#settling.get(connection)
    if (settling === undefined) return
    await withTimer(this.#clock, rootsTimeoutMs, (over) => abortable(Promise.race([settling, over]), signal))
    // It may have been started again meanwhile.
    if (this.#settling.get(connection) === settling) this.#settling.delete(connection)
  }

  async #settle(connection: Upstream, roots: Promise<Fields>): Promise<void> {
    await roots.catch(() => {})
    let pauseMs = rootsSettle.minMs
    for (let trip = 0; trip < 2; trip++) {
      await this.#pauseFor(pauseMs)
      const start = this.#clock.now()
      await connection.ping()
      const wantedMs = rootsSettle.roundTrips * (this.#clock.now() - start)
      pauseMs = Math.min(rootsSettle.maxMs, Math.max(rootsSettle.minMs, wantedMs))
    }
    await this.#pauseFor(pauseMs)
  }

  #pauseFor(ms: number): Promise<void> {
    return new Promise((resolve) => this.#clock.setTimer(ms, resolve))
  }

  /** The folders of the client that a connection works for, and never those of another one. */
  async #rootsFor(from: Upstream, params: Fields, signal: AbortSignal): Promise<Fields> {
    const { open, asking } = this.callsAt(from)
    this.#connections?.onRootsAsked(from, asking ?? null)
    if (asking !== undefined)
      return asking.hasRoots ? await this.#ask(asking, 'roots/list', params, signal) : noRoots
    // Servers ask before they have a call, and again when the folders have changed.
    const owner = open.length > 0 ? null : this.#connections?.ownerOf(from)
    const session = [...this.sessions].find(
      ({ kind, client, canListRoots }) => canListRoots && (kind === 'only' || client === owner),
    )
    return session === undefined || open.length > 0 ? noRoots : await session.listRoots(params, signal)
  }

  #rememberElicitation({ key }: Upstream, { elicitationId }: Fields, { client }: ClientRequest): void {
    if (typeof elicitationId !== 'string') return
    this.#elicitations.set(`${key} ${elicitationId}`, client)
    const [oldest] = this.#elicitations.keys()
    if (this.#elicitations.size > maxElicitations) this.#elicitations.delete(oldest!)
  }

  /**
   * The clock stands still while a person is asked, and goes on while a model is. So a call has only so many questions,
   * and so much time for them in all: asking is no way to run for ever.
   */
  async #ask(
    exchange: ClientRequest,
    method: BridgedMethod,
    params: Fields,
    signal: AbortSignal,
  ): Promise<Fields> {
    const { asked } = exchange
    const waitMs = this.#askTimeoutMs - asked.ms
    if (++asked.times > maxQuestions || waitMs <= 0) {
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'this call has asked enough questions')
    }
    const isPerson = method === 'elicitation/create'
    const resume = exchange.uid === null || !isPerson ? () => {} : this.#pause(exchange.uid)
    const limit = new AbortController()
    const expiry = this.#clock.setTimer(waitMs, () => limit.abort(new Error('nobody answered in time')))
    const start = this.#clock.now()
    try {
      return await exchange.ask(method, params, AbortSignal.any([signal, exchange.signal, limit.signal]))
    } finally {
      asked.ms += this.#clock.now() - start
      this.#clock.clearTimer(expiry)
      resume()
    }
  }

  /** A person is to sign in to a server. False if no client that waits for it can show them where. */
  async openSignIn({ serverName, url, signal }: SignInPage): Promise<boolean> {
    const exchange = [...this.#exchanges.values()].findLast(
      ({ capabilities, sentTo }) => sentTo === serverName && canElicit(capabilities, 'url'),
    )
    if (exchange === undefined) return false
    const resume = exchange.uid === null ? () => {} : this.#pause(exchange.uid)
    signal.addEventListener('abort', resume, { once: true })
    const message = `Sign in to ${serverName} at ${url.host}, so that its tools can be used.`
    const params = { mode: 'url', message, url: url.href, elicitationId: randomUUID() }
    const { action } = await exchange.ask('elicitation/create', params, signal)
    return action === 'accept'
  }

  /** What a server tells its client. */
  onNotification(from: Upstream, { method, params = {} }: JSONRPCNotification): void {
    const { name } = from
    switch (method) {
      case 'notifications/message': {
        const { level, data, logger } = params as { level: LoggingLevel; data: unknown; logger?: string }
        return this.#onLog(from, { level, data, logger: logger === undefined ? name : `${name}/${logger}` })
      }
      case 'notifications/resources/updated':
        for (const session of this.sessions) session.sendResourceUpdated(params)
        return
      case 'notifications/elicitation/complete': {
        const key = `${from.key} ${String(params.elicitationId)}`
        const client = this.#elicitations.get(key)
        this.#elicitations.delete(key)
        for (const session of this.sessions) if (session.client === client) session.send({ method, params })
      }
    }
  }

  /** To the client whose call it is about. If that cannot be told, to none: it may be about another's. */
  #onLog(from: Upstream, message: LogMessage): void {
    const call = this.callsAt(from).onLog()
    if (call !== null) return call?.log(message)
    const owner = this.#connections?.ownerOf(from)
    for (const session of this.sessions)
      if (session.kind === 'only' || session.client === owner) session.sendLog(message)
  }

  /** For the runtime's log: a heartbeat of a call goes to its client. */
  onLogEntry({ heartbeat, message }: LogEntry): void {
    if (heartbeat !== undefined) this.#exchanges.get(heartbeat.callId)?.onHeartbeat(message)
  }
}
