import { randomUUID } from 'node:crypto'
import type { Clock, LogEntry, Runtime } from '@curfew/core'
import {
  type JSONRPCNotification,
  type LoggingLevel,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { type BridgedMethod, bridgedCapabilities, type ClientBridge } from '../client/connection.ts'
import type { SignInPage } from '../client/oauth/authorize.ts'
import type { Upstream } from '../client/upstream.ts'
import { canElicit } from './can-elicit.ts'
import type { Exchange } from './exchange.ts'
import type { Fields } from './fields.ts'
import type { Session } from './session.ts'
import { signQuestion } from './signed-questions.ts'

/** In one call. */
const mostQuestions = 100

/**
 * Who is talking to whom: which client's call a server has, and so who is meant by what that server says or asks. Most
 * servers do not say which of several calls they mean. Then it is the one that they got last, if all are of one client;
 * otherwise it is nobody, as it must not reach the wrong one.
 */
export class Routes {
  readonly sessions: Set<Session> = new Set()
  readonly #clock: Clock
  readonly #askTimeoutMs: number
  readonly #several: boolean
  readonly #exchanges = new Map<string, Exchange>()
  readonly #sent = new Map<string, Exchange[]>()
  #pause: Runtime['pause'] = () => () => {}

  constructor(clock: Clock, askTimeoutMs: number, servers: number) {
    this.#clock = clock
    this.#several = servers > 1
    this.#askTimeoutMs = askTimeoutMs
  }

  /** The runtime's log leads here, so the runtime comes later. */
  attach({ pause }: Runtime): void {
    this.#pause = pause
  }

  add(exchange: Exchange): () => void {
    this.#exchanges.set(exchange.id, exchange)
    return () => {
      this.#exchanges.delete(exchange.id)
    }
  }

  /** The exchange that a call of the runtime belongs to. */
  get(callId: string): Exchange | undefined {
    return this.#exchanges.get(callId)
  }

  /** A server has the call now. */
  onSent(exchange: Exchange, { name }: Upstream): () => void {
    const sent = this.#sent.get(name) ?? []
    sent.push(exchange)
    this.#sent.set(name, sent)
    return () => {
      sent.splice(sent.lastIndexOf(exchange), 1)
    }
  }

  /** What a server asks of its client. */
  bridgeFor(server: string): ClientBridge {
    return {
      capabilities: bridgedCapabilities,
      request: async (method, params, signal) => {
        const exchange = this.#meant(server)
        const signed = signQuestion(this.#several ? server : null, method, params)
        if (exchange !== undefined) return await this.#ask(exchange, method, signed, signal)
        // Servers ask for their folders before they have a call.
        if (method === 'roots/list') return await this.#askForRoots(params, signal)
        const why =
          this.#callsAt(server).length === 0
            ? 'there is no call that this could belong to'
            : 'several clients have calls here, and it does not say which of them it asks'
        throw new ProtocolError(ProtocolErrorCode.InvalidRequest, why)
      },
    }
  }

  #callsAt(server: string): readonly Exchange[] {
    return this.#sent.get(server) ?? []
  }

  /** The call that a server speaks of, unless that could be another client's. */
  #meant(server: string): Exchange | undefined {
    const calls = this.#callsAt(server)
    const last = calls.at(-1)
    return calls.every(({ client }) => client === last?.client) ? last : undefined
  }

  /**
   * The clock stands still while a person is asked, and goes on while a model is. So a call has only so many questions,
   * and so much time for them in all: asking is no way to run for ever.
   */
  async #ask(
    exchange: Exchange,
    method: BridgedMethod,
    params: Fields,
    signal: AbortSignal,
  ): Promise<Fields> {
    const { asked } = exchange
    const patienceMs = this.#askTimeoutMs - asked.ms
    if (++asked.times > mostQuestions || patienceMs <= 0) {
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'this call has asked enough questions')
    }
    const isPerson = method === 'elicitation/create'
    const resume = exchange.uid === null || !isPerson ? () => {} : this.#pause(exchange.uid)
    const limit = new AbortController()
    const expiry = this.#clock.setTimer(patienceMs, () => limit.abort(new Error('nobody answered in time')))
    const start = this.#clock.now()
    try {
      return await exchange.ask(method, params, AbortSignal.any([signal, exchange.signal, limit.signal]))
    } finally {
      asked.ms += this.#clock.now() - start
      this.#clock.clearTimer(expiry)
      resume()
    }
  }

  /** A person is to sign in to a server. False if no client can show them where. */
  async openSignIn({ serverName, url, signal }: SignInPage): Promise<boolean> {
    const exchange = this.#callsAt(serverName).at(-1)
    if (exchange === undefined || !canElicit(exchange.capabilities, 'url')) return false
    const resume = exchange.uid === null ? () => {} : this.#pause(exchange.uid)
    signal.addEventListener('abort', resume, { once: true })
    const message = `Sign in to ${serverName} at ${url.host}, so that its tools can be used.`
    const params = { mode: 'url', message, url: url.href, elicitationId: randomUUID() }
    const { action } = await exchange.ask('elicitation/create', params, signal)
    return action === 'accept'
  }

  async #askForRoots(params: Fields, signal: AbortSignal): Promise<Fields> {
    const session = [...this.sessions].find(({ canListRoots }) => canListRoots)
    return session === undefined ? { roots: [] } : await session.listRoots(params, signal)
  }

  /** What a server tells its client. */
  onNotification({ name }: Upstream, { method, params = {} }: JSONRPCNotification): void {
    switch (method) {
      case 'notifications/message': {
        const { level, data, logger } = params as { level: LoggingLevel; data: unknown; logger?: string }
        const message = { level, data, logger: logger === undefined ? name : `${name}/${logger}` }
        if (this.#callsAt(name).length > 0) return this.#meant(name)?.log(message)
        for (const session of this.sessions) session.sendLog(message)
        return
      }
      case 'notifications/resources/updated':
        for (const session of this.sessions) session.sendResourceUpdated(params)
        return
      default:
        for (const session of this.sessions) session.send({ method, params })
    }
  }

  /** For the runtime's log: a heartbeat of a call goes to its client. */
  onLogEntry({ heartbeat, message }: LogEntry): void {
    if (heartbeat !== undefined) this.#exchanges.get(heartbeat.callId)?.onHeartbeat(message)
  }
}
