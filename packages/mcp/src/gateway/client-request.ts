import { randomUUID } from 'node:crypto'
import type { ToolCall, ToolContext } from '@curfew/core'
import type { Clock } from '@curfew/core/internal'
import {
  type ClientCapabilities,
  type InputRequiredResult,
  type JSONRPCNotification,
  type LoggingLevel,
  type Progress,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { noSdkTimeout } from '../async/no-sdk-timeout.ts'
import type { BridgedMethod } from '../client/connection/client-bridge.ts'
import type { ServerTask } from '../client/tasks/server-task.ts'
import type { ForwardedCall, ForwardedRequest } from '../client/tools/forwarded-call.ts'
import { readOuterMeta } from '../client/tools/outer-meta.ts'
import type { Upstream } from '../client/upstream.ts'
import { clientCapabilitiesKey, clientInfoKey, logLevelKey } from '../wire/meta-keys.ts'
import { canElicit } from './can-elicit.ts'
import type { ClientConnections } from './client-connections.ts'
import { ClientTask } from './client-task.ts'
import type { ClientTasks } from './client-tasks.ts'
import { InputRequests } from './input-requests.ts'
import type { JsonObject } from './json-object.ts'
import { passesLevel } from './log-levels.ts'
import type { MessageRouter } from './message-router.ts'
import type { Scope } from './scope.ts'
import { type SuspendedRequests, suspendedPrefix } from './suspended-requests.ts'
import { supportsTasks } from './task-requests.ts'

/** The client that a request comes from. */
export interface RequestingClient {
  readonly era: 'legacy' | 'modern'
  /** Declared at initialization by a 2025 client; a 2026 client declares them with every request. */
  readonly capabilities: ClientCapabilities | undefined
  readonly logLevel: LoggingLevel | undefined
  /** The same object for all requests of one client. */
  readonly client: object
  /** What it can see and use. */
  readonly scope: Scope
  /** The same object for all clients that share an instance of a server with `instances: "per-client"`. */
  readonly instanceOwner: object
  /** False if the client is only this one request; then nothing is remembered for it. */
  readonly lasting: boolean
  /** Whether the client can receive messages outside of a request now. */
  readonly isListening: boolean
  /** Its tasks belong to this: its connection, or all requests with the same token. */
  readonly owner: object
  /** Sends a log message outside of a request. */
  sendLog(message: LogMessage): void
  /** Sends a notification outside of a request. */
  send(notification: Omit<JSONRPCNotification, 'jsonrpc'>): void
}

/** What all requests share. */
export interface RequestServices {
  readonly clock: Clock
  readonly router: MessageRouter
  readonly connections: ClientConnections
  readonly suspended: SuspendedRequests
  readonly tasks: ClientTasks
}

export interface LogMessage {
  readonly level: LoggingLevel
  readonly data: unknown
  readonly logger: string
}

export interface ClientRequestOptions {
  readonly subject: string
  /** A 2025 client asked for a task. @default false */
  readonly asTask?: boolean | undefined
}

/** Small enough that a heartbeat never exceeds the server's own progress. */
const heartbeatStep = 1e-6

/** One request of a client that is being served, and the way back to that client. */
export class ClientRequest implements ForwardedCall {
  readonly id: string = randomUUID()
  /** The method and its target. A client that answers questions must repeat the same request. */
  readonly subject: string
  readonly asTask: boolean
  readonly #from: RequestingClient
  readonly #services: RequestServices
  readonly #stop = new AbortController()
  readonly #questions = new InputRequests()
  /** Resolves when the server runs the call as a task, and the client can poll one. */
  readonly #created = Promise.withResolvers<'task'>()
  /** Set once the client has got a task instead of the result. */
  #task: ClientTask | null = null
  #context: ServerContext
  #result: Promise<unknown> = Promise.resolve()
  /** Set while the request is suspended until the client answers its questions. */
  #state: string | null = null
  #progress = -heartbeatStep
  /** Of the task at the server. */
  #status: string | undefined
  /** The runtime's key of the call, while a server has it. */
  uid: number | null = null
  /** The name of the server that has it, or is being started for it. */
  sentTo: string | null = null
  /** The server's id of the task that it runs the call as. */
  serverTask: string | null = null
  /** How often, and for how long in total, a server asked the client. */
  readonly asked: { times: number; ms: number } = { times: 0, ms: 0 }

  constructor(
    from: RequestingClient,
    services: RequestServices,
    context: ServerContext,
    { subject, asTask = false }: ClientRequestOptions,
  ) {
    this.subject = subject
    this.asTask = asTask
    this.#from = from
    this.#services = services
    this.#context = context
  }

  get client(): object {
    return this.#from.client
  }

  get scope(): Scope {
    return this.#from.scope
  }

  get instanceOwner(): object {
    return this.#from.instanceOwner
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
    const declared = this.#envelope[clientCapabilitiesKey] as ClientCapabilities | undefined
    return declared ?? this.#from.capabilities ?? {}
  }

  get logLevel(): LoggingLevel | undefined {
    return (this.#envelope[logLevelKey] as LoggingLevel | undefined) ?? this.#from.logLevel
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
    const clientInfo = this.#envelope[clientInfoKey]
    const state = requestState<unknown>()
    const mcpRequest: ForwardedRequest = {
      _meta: meta,
      capabilities,
      ...(clientInfo !== undefined && { clientInfo }),
      ...(logLevel !== undefined && { logLevel }),
      ...(inputResponses !== undefined && { inputResponses }),
      ...(typeof state === 'string' && { requestState: state }),
    }
    return { mcpRequest }
  }

  /** Runs until there is a result, a task, or a question that the client answers with another request. */
  async run<R>(work: () => Promise<R>): Promise<R | InputRequiredResult> {
    this.#result = work()
    return (await (this.asTask ? this.#becomeTask() : this.#serve())) as R | InputRequiredResult
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
        const question = this.#questions.isEmpty ? this.#questions.nextQuestion() : 'question'
        const first = await Promise.race([this.#result, this.#created.promise, question])
        if (first === 'task') return this.#becomeTask()
        if (first !== 'question') return first
        // Questions of the same tick are sent together; they may also have been withdrawn.
        await new Promise<void>((resolve) => this.#services.clock.defer(resolve))
        if (!this.#questions.isEmpty) return this.#suspend()
      }
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  /** From now on, the client polls, and the call continues without its request. */
  #becomeTask(): JsonObject {
    const { clock, tasks } = this.#services
    const { era, owner } = this.#from
    const task = new ClientTask({
      era,
      clock,
      result: this.#result,
      questions: this.#questions,
      cancel: (reason) => this.abandon(reason),
    })
    task.onStatus(this.#status)
    this.#task = task
    tasks.add(owner, task)
    // The SDK expects the content of a result.
    return era === 'legacy'
      ? { content: [], task: task.toTask() }
      : { resultType: 'task', content: [], ...task.toModernTask() }
  }

  #suspend(): InputRequiredResult {
    const state = `${suspendedPrefix}${randomUUID()}`
    this.#state = state
    this.#services.suspended.add(this, state)
    return this.#questions.toResult(state)
  }

  /** Cancels a request that its client does not wait for: a suspended one, or a task. */
  abandon(reason: unknown): void {
    this.#stop.abort(reason)
  }

  /** Asks the client: a person or a model. */
  async ask(method: BridgedMethod, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (!this.#supports(method, params))
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `the client does not support ${method}`)
    if (this.#from.era === 'modern' || this.asTask) return await this.#questions.ask(method, params, signal)
    const options = { signal, timeout: noSdkTimeout }
    return (await this.#context.mcpReq.send({ method, params }, options)) as JsonObject
  }

  async askFor(
    connection: Upstream,
    method: BridgedMethod,
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    return await this.#services.router.ask(connection, this, method, params, signal)
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
        connections.hold(connection, this.client)
        await router.roots.wait(connection, signal)
        return await send(connection)
      } finally {
        this.uid = null
        this.sentTo = null
        this.serverTask = null
        end(!signal.aborted)
      }
    }
  }

  onProgress(progress: Progress): void {
    this.#progress = Math.max(this.#progress, progress.progress)
    this.#sendProgress(progress)
  }

  onTask({ id, message }: Pick<ServerTask, 'id' | 'message'>): void {
    this.serverTask = id
    if (message !== undefined && message !== this.#status) this.onHeartbeat(message)
    this.#status = message
    this.#task?.onStatus(message)
    const { era, owner } = this.#from
    const canPoll = era === 'modern' && supportsTasks(this.capabilities)
    if (canPoll && this.#task === null && this.#services.tasks.hasRoom(owner)) this.#created.resolve('task')
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
    // Once the request is answered, its own stream is closed.
    if (this.uid === null || this.#task !== null) return this.#from.sendLog(message)
    if (passesLevel(message.level, this.logLevel, this.#from.era))
      this.notify({ method: 'notifications/message', params: { ...message } })
  }

  notify(notification: Omit<JSONRPCNotification, 'jsonrpc'>): void {
    // Only the 2025 protocol has progress for tasks.
    if (this.#task !== null && this.#from.era === 'modern') return
    if (this.#task !== null) return this.#from.send(notification)
    this.#context.mcpReq.notify(notification).catch(() => {})
  }
}
