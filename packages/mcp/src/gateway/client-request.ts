import { randomUUID } from 'node:crypto'
import type { ToolCall, ToolContext } from '@curfew/core'
import type { Clock } from '@curfew/core/internal'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  type JSONRPCNotification,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type Progress,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { noSdkTimeout } from '../async/no-sdk-timeout.ts'
import type { BridgedMethod } from '../client/connection/client-bridge.ts'
import { type ForwardedCall, forwardedMeta } from '../client/tools/forwarded-call.ts'
import { readOuterMeta } from '../client/tools/outer-meta.ts'
import type { Upstream } from '../client/upstream.ts'
import { canElicit } from './can-elicit.ts'
import type { ClientConnections } from './client-connections.ts'
import { InputRequests } from './input-requests.ts'
import type { JsonObject } from './json-object.ts'
import { passesLevel } from './log-levels.ts'
import type { MessageRouter } from './message-router.ts'
import { type SuspendedRequests, suspendedPrefix } from './suspended-requests.ts'

/** The client that a request comes from. */
export interface RequestingClient {
  readonly era: 'legacy' | 'modern'
  /** Declared at initialization by a 2025 client; a 2026 client declares them with every request. */
  readonly capabilities: ClientCapabilities | undefined
  readonly logLevel: LoggingLevel | undefined
  /** The same object for all requests of one client. */
  readonly client: object
  /** False if the client is only this one request; then nothing is remembered for it. */
  readonly lasting: boolean
  /** Whether the client can receive messages outside of a request now. */
  readonly isListening: boolean
  /** Sends a log message outside of a request. */
  sendLog(message: LogMessage): void
}

/** What all requests share. */
export interface RequestServices {
  readonly clock: Clock
  readonly router: MessageRouter
  readonly connections: ClientConnections
  readonly suspended: SuspendedRequests
}

export interface LogMessage {
  readonly level: LoggingLevel
  readonly data: unknown
  readonly logger: string
}

/** Small enough that a heartbeat never exceeds the server's own progress. */
const heartbeatStep = 1e-6

/** One request of a client that is being served, and the way back to that client. */
export class ClientRequest implements ForwardedCall {
  readonly id: string = randomUUID()
  /** The method and its target. A client that answers questions must repeat the same request. */
  readonly subject: string
  readonly #from: RequestingClient
  readonly #services: RequestServices
  readonly #stop = new AbortController()
  readonly #questions = new InputRequests()
  #context: ServerContext
  #result: Promise<unknown> = Promise.resolve()
  /** Set while the request is suspended until the client answers its questions. */
  #state: string | null = null
  #progress = -heartbeatStep
  /** The runtime's key of the call, while a server has it. */
  uid: number | null = null
  /** The name of the server that has it, or is being started for it. */
  sentTo: string | null = null
  /** How often, and for how long in total, a server asked the client. */
  readonly asked: { times: number; ms: number } = { times: 0, ms: 0 }

  constructor(from: RequestingClient, services: RequestServices, context: ServerContext, subject: string) {
    this.subject = subject
    this.#from = from
    this.#services = services
    this.#context = context
  }

  get client(): object {
    return this.#from.client
  }

  get isListening(): boolean {
    return this.#from.isListening
  }

  get lasting(): boolean {
    return this.#from.lasting
  }

  get hasRoots(): boolean {
    return this.capabilities.roots !== undefined
  }

  /** Aborted when the client cancels the request. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  get capabilities(): ClientCapabilities {
    const declared = this.#envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
    return declared ?? this.#from.capabilities ?? {}
  }

  get logLevel(): LoggingLevel | undefined {
    return (this.#envelope[LOG_LEVEL_META_KEY] as LoggingLevel | undefined) ?? this.#from.logLevel
  }

  get #envelope(): JsonObject {
    return (this.#context.mcpReq.envelope ?? {}) as JsonObject
  }

  /** The client's call that this request belongs to, if the client is Curfew, too. */
  get outer(): ToolCall['outer'] {
    return readOuterMeta(this.#context.mcpReq._meta)
  }

  /** The call's `meta`: the parts of this request that its server gets in addition to the arguments. */
  get meta(): ToolContext['meta'] {
    const { _meta, inputResponses, requestState } = this.#context.mcpReq
    // A server gets a trace context that is valid, which is part of `outer`.
    const { progressToken: _, traceparent, tracestate, ...meta } = (_meta ?? {}) as JsonObject
    const { capabilities, logLevel } = this
    const clientInfo = this.#envelope[CLIENT_INFO_META_KEY]
    const state = requestState<unknown>()
    return forwardedMeta({
      _meta: meta,
      capabilities,
      ...(clientInfo !== undefined && { clientInfo }),
      ...(logLevel !== undefined && { logLevel }),
      ...(inputResponses !== undefined && { inputResponses }),
      ...(typeof state === 'string' && { requestState: state }),
    })
  }

  /** Runs until there is a result, or a question that the client answers with another request. */
  async run<R>(work: () => Promise<R>): Promise<R | InputRequiredResult> {
    this.#result = work()
    return (await this.#serve()) as R | InputRequiredResult
  }

  /** Continues with the answers from the client's next request. */
  async resume(context: ServerContext): Promise<unknown> {
    this.#context = context
    if (this.#state !== null) this.#services.suspended.remove(this.#state)
    this.#state = null
    this.#questions.answer(context.mcpReq.inputResponses ?? {})
    return await this.#serve()
  }

  async #serve(): Promise<unknown> {
    const { signal } = this.#context.mcpReq
    const cancel = (): void => this.#stop.abort(signal.reason)
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
    try {
      for (;;) {
        const first = await Promise.race([this.#result, this.#questions.waitForQuestion()])
        if (first !== 'question') return first
        // Questions of the same tick are sent together; they may also have been withdrawn.
        await new Promise<void>((resolve) => this.#services.clock.defer(resolve))
        if (!this.#questions.isEmpty) return this.#suspend()
      }
    } finally {
      this.#questions.stopWaiting()
      signal.removeEventListener('abort', cancel)
    }
  }

  #suspend(): InputRequiredResult {
    const state = `${suspendedPrefix}${randomUUID()}`
    this.#state = state
    this.#services.suspended.add(this, state)
    return this.#questions.toResult(state)
  }

  /** Cancels a suspended request that the client has not continued. */
  abandon(reason: unknown): void {
    this.#stop.abort(reason)
  }

  /** Asks the client: a person or a model. */
  async ask(method: BridgedMethod, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (!this.#supports(method, params))
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `the client does not support ${method}`)
    if (this.#from.era === 'modern') return await this.#questions.ask(method, params, signal)
    const options = { signal, timeout: noSdkTimeout }
    return (await this.#context.mcpReq.send({ method, params }, options)) as JsonObject
  }

  #supports(method: BridgedMethod, params: JsonObject): boolean {
    const { capabilities } = this
    switch (method) {
      case 'elicitation/create':
        return canElicit(capabilities, params.mode === 'url' ? 'url' : 'form')
      case 'sampling/createMessage':
        return capabilities.sampling !== undefined
      case 'roots/list':
        return this.hasRoots
    }
  }

  async withConnection<T>(
    shared: Upstream,
    { uid, signal, secret }: ToolContext,
    send: (connection: Upstream) => Promise<T>,
  ): Promise<T> {
    const { connections, router } = this.#services
    for (;;) {
      const connection = connections.get(shared, this)
      const end = router.callsAt(connection).add(this)
      this.uid = uid
      this.sentTo = connection.name
      try {
        if (!connection.connected) {
          await connection.connect(signal, secret)
          // The server may have asked for roots while it started, and so need a connection per client.
          if (connections.get(shared, this) !== connection) continue
        }
        await router.roots.wait(connection, signal)
        return await send(connection)
      } finally {
        this.uid = null
        this.sentTo = null
        end(!signal.aborted)
      }
    }
  }

  onProgress(progress: Progress): void {
    this.#progress = Math.max(this.#progress, progress.progress)
    this.#sendProgress(progress)
  }

  onHeartbeat(message: string): void {
    this.#progress += heartbeatStep
    this.#sendProgress({ progress: this.#progress, message })
  }

  #sendProgress(progress: Progress): void {
    const progressToken = this.#context.mcpReq._meta?.progressToken
    if (progressToken === undefined || this.#state !== null) return
    this.notify({ method: 'notifications/progress', params: { ...progress, progressToken } })
  }

  /** Forwards a log message if it passes the client's log level. */
  log(message: LogMessage): void {
    // Once the call is answered, its own stream is closed.
    if (this.uid === null) return this.#from.sendLog(message)
    if (passesLevel(message.level, this.logLevel, this.#from.era))
      this.notify({ method: 'notifications/message', params: { ...message } })
  }

  notify(notification: Omit<JSONRPCNotification, 'jsonrpc'>): void {
    this.#context.mcpReq.notify(notification).catch(() => {})
  }
}
