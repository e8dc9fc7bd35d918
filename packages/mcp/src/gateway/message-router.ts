import { randomUUID } from 'node:crypto'
import type { CallRow, Question, Runtime } from '@curfew/core'
import type { Clock } from '@curfew/core/internal'
import {
  type JSONRPCNotification,
  type LoggingLevel,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import {
  type BridgedMethod,
  bridgedCapabilities,
  type ClientBridge,
} from '../client/connection/client-bridge.ts'
import type { SignInPrompt } from '../client/oauth/authorize.ts'
import { originOfMessage } from '../client/transport/message-origin.ts'
import type { Upstream } from '../client/upstream.ts'
import { relatedTaskKey } from '../wire/meta-keys.ts'
import { choose } from './answer-question.ts'
import { canElicit } from './can-elicit.ts'
import type { ClientConnections } from './client-connections.ts'
import type { ClientRequest, LogMessage } from './client-request.ts'
import type { JsonObject } from './json-object.ts'
import { labelQuestion } from './label-questions.ts'
import { RootsBarrier } from './roots-barrier.ts'
import { ServerCalls } from './server-calls.ts'
import type { Session } from './session.ts'

const noRoots: JsonObject = { roots: [] }
/** Per call. */
const maxQuestions = 100
/** How many elicitations are remembered, so that their completion can be forwarded. */
const maxElicitations = 1_000

export interface MessageRouterOptions {
  readonly clock: Clock
  /** For all questions of a call together. */
  readonly askTimeoutMs: number
  readonly runtime: Pick<Runtime, 'pause' | 'getCall'>
}

/** Routes a server's requests, logs and notifications to the client whose call they belong to. */
export class MessageRouter {
  readonly sessions: Set<Session> = new Set()
  /** The requests that are being served, by their id, which is also the id of their call. */
  readonly requests: Map<string, ClientRequest> = new Map()
  readonly roots: RootsBarrier
  readonly #options: MessageRouterOptions
  readonly #calls = new WeakMap<Upstream, ServerCalls>()
  /** The client that an elicitation was sent to, by connection and elicitation id. */
  readonly #elicitations = new Map<string, object>()
  #connections: ClientConnections | null = null

  constructor(options: MessageRouterOptions) {
    this.#options = options
    this.roots = new RootsBarrier(options.clock)
  }

  attach(connections: ClientConnections): void {
    this.#connections = connections
  }

  /** The request whose call asks, or contains the call that does. */
  requestOf({ callUid }: Pick<Question, 'callUid'>): ClientRequest | undefined {
    for (let uid: number | null = callUid; uid !== null; ) {
      const row: CallRow | undefined = this.#options.runtime.getCall(uid)
      const request = this.requests.get(row?.id ?? '')
      if (request !== undefined) return request
      uid = row?.parentUid ?? null
    }
    return undefined
  }

  callsAt(connection: Upstream): ServerCalls {
    const calls = this.#calls.get(connection) ?? new ServerCalls(this.#options.clock)
    this.#calls.set(connection, calls)
    return calls
  }

  /** The bridge for the requests that a server sends on one connection. */
  bridgeFor(connection: () => Upstream): ClientBridge {
    return {
      capabilities: bridgedCapabilities,
      request: async (method, params, signal) => {
        const from = connection()
        if (method === 'roots/list') return await this.#listRoots(from, params, signal)
        const asking = this.#taskOf(from, params) ?? this.#askingCall(from)
        if (asking !== undefined) return await this.ask(from, asking, method, params, signal)
        throw new ProtocolError(ProtocolErrorCode.InvalidRequest, this.#whyNobodyIsAsked(from))
      },
    }
  }

  /** The call on whose stream the server asks; otherwise the only one that it can be about. */
  #askingCall(from: Upstream): ClientRequest | undefined {
    const { open, asking } = this.callsAt(from)
    const callId = originOfMessage()
    return callId === null ? asking : open.find(({ id }) => id === callId)
  }

  #whyNobodyIsAsked(from: Upstream): string {
    if (originOfMessage() !== null) return 'the call that this request belongs to has ended'
    return this.callsAt(from).open.length === 0
      ? 'there is no call that this request could belong to'
      : 'several clients have calls on this connection, and the request does not name one of them'
  }

  /** The call whose task a question names. */
  #taskOf(from: Upstream, { _meta }: JsonObject): ClientRequest | undefined {
    const { taskId } = Object(Object(_meta)[relatedTaskKey]) as JsonObject
    if (typeof taskId !== 'string') return undefined
    return this.callsAt(from).open.find(({ serverTask }) => serverTask === taskId)
  }

  /** Asks the client of a request on behalf of the server that works on it. */
  async ask(
    from: Upstream,
    request: ClientRequest,
    method: BridgedMethod,
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const labelled = labelQuestion(from.name, method, withoutTask(params))
    this.#rememberElicitation(from, params, request)
    return await this.#ask(request, method, labelled, signal)
  }

  async #listRoots(from: Upstream, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const roots = this.#rootsFor(from, params, signal)
    if (!from.connected) this.roots.onRequested(from, roots)
    return await roots
  }

  /** The roots of the client that a connection is used for, never those of another one. */
  async #rootsFor(from: Upstream, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    // Even if the stream identifies the call: the server remembers the roots, and would use them for the other clients' calls.
    const { open, asking } = this.callsAt(from)
    this.#connections?.onRootsRequested(from, asking ?? null)
    if (asking !== undefined)
      return asking.hasRoots ? await this.#ask(asking, 'roots/list', params, signal) : noRoots
    if (open.length > 0) return noRoots
    // Servers also ask before their first call, and after the roots have changed.
    const owner = this.#connections?.ownerOf(from)
    const session = [...this.sessions].find(
      ({ kind, client, canListRoots }) => canListRoots && (kind === 'only' || client === owner),
    )
    return session === undefined ? noRoots : await session.listRoots(params, signal)
  }

  #rememberElicitation({ key }: Upstream, { elicitationId }: JsonObject, { client }: ClientRequest): void {
    if (typeof elicitationId !== 'string') return
    this.#elicitations.set(`${key} ${elicitationId}`, client)
    const [oldest] = this.#elicitations.keys()
    if (this.#elicitations.size > maxElicitations) this.#elicitations.delete(oldest!)
  }

  /**
   * The call's clock is paused while a person is asked, but not while a model is. The number of questions and their total time are
   * limited, so that a call cannot run forever by asking.
   */
  async #ask(
    request: ClientRequest,
    method: BridgedMethod,
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const { clock, askTimeoutMs } = this.#options
    const { asked } = request
    const leftMs = askTimeoutMs - asked.ms
    if (++asked.times > maxQuestions || leftMs <= 0) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        'this call has reached its limit of questions',
      )
    }
    const resume = method === 'elicitation/create' ? this.#pause(request) : () => {}
    const limit = new AbortController()
    const expiry = clock.setTimer(leftMs, () => limit.abort(new Error('the client did not answer in time')))
    const start = clock.now()
    try {
      return await request.ask(method, params, AbortSignal.any([signal, request.signal, limit.signal]))
    } finally {
      asked.ms += clock.now() - start
      clock.clearTimer(expiry)
      resume()
    }
  }

  #pause({ uid }: ClientRequest): () => void {
    return uid === null ? () => {} : this.#options.runtime.pause(uid)
  }

  /** Asks a client that waits for the server, if one does. */
  readonly signInPrompt: SignInPrompt = {
    agree: async ({ serverName, url, signal }) => {
      const message = `The MCP server ${serverName} (${url.host}) requires you to sign in. Continue?`
      const request = this.#waitingClient(serverName, signal)
      return (
        request !== undefined && (await choose(request, message, ['Sign in', 'No'], signal)) === 'Sign in'
      )
    },
    open: async ({ serverName, url, signal }) => {
      const message = `Sign in to ${serverName} at ${url.host} to use its tools.`
      const params = { mode: 'url', message, url: url.href, elicitationId: randomUUID() }
      const request = this.#waitingClient(serverName, signal)
      return (await request?.ask('elicitation/create', params, signal))?.action === 'accept'
    },
  }

  /** A request of a client that can sign in. Its clock is paused until the sign-in is over. */
  #waitingClient(server: string, signal: AbortSignal): ClientRequest | undefined {
    const canSignIn = ({ capabilities, sentTo }: ClientRequest): boolean =>
      sentTo === server && canElicit(capabilities, 'form') && canElicit(capabilities, 'url')
    const request = [...this.requests.values()].findLast(canSignIn)
    if (request !== undefined) signal.addEventListener('abort', this.#pause(request), { once: true })
    return request
  }

  onNotification(from: Upstream, { method, params = {} }: JSONRPCNotification): void {
    const { name } = from
    switch (method) {
      case 'notifications/message': {
        const { level, data, logger } = params as { level: LoggingLevel; data: unknown; logger?: string }
        return this.#onLog(from, { level, data, logger: logger === undefined ? name : `${name}/${logger}` })
      }
      case 'notifications/resources/updated':
        for (const session of this.sessions)
          if (session.scope.hasServer(name)) session.sendResourceUpdated(params)
        return
      case 'notifications/elicitation/complete': {
        const key = `${from.key} ${String(params.elicitationId)}`
        const client = this.#elicitations.get(key)
        this.#elicitations.delete(key)
        for (const session of this.sessions) if (session.client === client) session.send({ method, params })
      }
    }
  }

  /** A message that cannot be attributed is dropped: it may be about another client's call. */
  #onLog(from: Upstream, message: LogMessage): void {
    if (originOfMessage() !== null) return this.#askingCall(from)?.log(message)
    const call = this.callsAt(from).onLog()
    if (call !== null) return call?.log(message)
    const owner = this.#connections?.ownerOf(from)
    for (const session of this.sessions)
      if ((session.kind === 'only' && session.scope.hasServer(from.name)) || session.client === owner)
        session.sendLog(message)
  }
}

/** The server's id of a task is of no use to a client. */
function withoutTask({ _meta, ...params }: JsonObject): JsonObject {
  const { [relatedTaskKey]: _, ...meta } = Object(_meta) as JsonObject
  return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta }
}
