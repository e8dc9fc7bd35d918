import { randomUUID } from 'node:crypto'
import type { Clock } from '@curfew/core/internal'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  type JSONRPCNotification,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type Progress,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { abortable } from '../async/abortable.ts'
import { noSdkTimeout } from '../async/no-sdk-timeout.ts'
import type { BridgedMethod } from '../client/connection/client-bridge.ts'
import type { ForwardedCall } from '../client/tools/upstream-tools.ts'
import type { Upstream } from '../client/upstream.ts'
import { canElicit } from './can-elicit.ts'
import type { Fields } from './json-object.ts'
import { passesLevel } from './log-levels.ts'

/** What an exchange knows of the client's connection. */
export interface ClientRequestHost {
  readonly era: 'legacy' | 'modern'
  readonly clock: Clock
  /** Of a 2025 client; one of 2026 says them with every request. */
  readonly capabilities: ClientCapabilities | undefined
  readonly logLevel: LoggingLevel | undefined
  /** The same for all requests of one client. */
  readonly client: object
  /** There is more than this one request; otherwise nothing is remembered for the client. */
  readonly lasting: boolean
  /** Whether the client can be told something now that belongs to no request. */
  readonly isListening: boolean
  /** The connection to a server that the exchange belongs on. */
  connectionFor(exchange: ClientRequest, upstream: Upstream): Upstream
  /** Waits until the server has what it asked for when it was started. */
  beforeSend(connection: Upstream, signal: AbortSignal): Promise<void>
  /** The exchange is sent to a server. Returns a function to call when it ends. */
  onSent(exchange: ClientRequest, upstream: Upstream): (answered: boolean) => void
  /** A log message that came after the answer. */
  sendLog(message: LogMessage): void
  /** An answer is waited for that comes with another request. */
  park(exchange: ClientRequest, state: string): void
  unpark(state: string): void
}

export interface LogMessage {
  readonly level: LoggingLevel
  readonly data: unknown
  readonly logger: string
}

/** A client of 2026 answers a question in a request of its own. */
interface OpenQuestion {
  readonly key: string
  readonly request: { readonly method: BridgedMethod; readonly params: Fields }
  answer(response: Fields): void
}

export const suspendedPrefix = 'curfew:'
/** So little that no progress of a server's own is overtaken by it. */
const heartbeatStep = 1e-6

/** One request of a client that is being served, and the way back to that client. */
export class ClientRequest implements ForwardedCall {
  readonly id: string = randomUUID()
  /** What was asked for. Whoever comes back with an answer asks for the same. */
  readonly subject: string
  readonly #host: ClientRequestHost
  readonly #stop = new AbortController()
  #context: ServerContext
  #questions: OpenQuestion[] = []
  #onQuestion: (() => void) | null = null
  #state: string | null = null
  #progress = -heartbeatStep
  /** The key of the call in the runtime, while a server has it. */
  uid: number | null = null
  /** The server that has it, or that is being started for it. */
  sentTo: string | null = null
  /** How often, and for how long in all, a server had its client asked. */
  readonly asked: { times: number; ms: number } = { times: 0, ms: 0 }

  constructor(host: ClientRequestHost, context: ServerContext, subject: string) {
    this.subject = subject
    this.#host = host
    this.#context = context
  }

  /** The same for all requests of one client. */
  get client(): object {
    return this.#host.client
  }

  get isListening(): boolean {
    return this.#host.isListening
  }

  get lasting(): boolean {
    return this.#host.lasting
  }

  get hasRoots(): boolean {
    return this.capabilities.roots !== undefined
  }

  /** Aborted when the client no longer wants an answer. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  get capabilities(): ClientCapabilities {
    const declared = this.#envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
    return declared ?? this.#host.capabilities ?? {}
  }

  get logLevel(): LoggingLevel | undefined {
    return (this.#envelope[LOG_LEVEL_META_KEY] as LoggingLevel | undefined) ?? this.#host.logLevel
  }

  get #envelope(): Fields {
    return (this.#context.mcpReq.envelope ?? {}) as Fields
  }

  /** What goes along with the arguments: the client's own words, and, for a server of 2026, who asks and what was answered. */
  paramsFor(era: 'legacy' | 'modern'): Fields {
    const { _meta, inputResponses, requestState } = this.#context.mcpReq
    const { progressToken: _, ...meta } = (_meta ?? {}) as Fields
    if (era === 'legacy') return { _meta: meta }
    const info = this.#envelope[CLIENT_INFO_META_KEY]
    const { logLevel } = this
    const state = requestState<unknown>()
    return {
      _meta: {
        ...meta,
        [CLIENT_CAPABILITIES_META_KEY]: this.capabilities,
        ...(info !== undefined && { [CLIENT_INFO_META_KEY]: info }),
        ...(logLevel !== undefined && { [LOG_LEVEL_META_KEY]: logLevel }),
      },
      ...(inputResponses !== undefined && { inputResponses }),
      ...(typeof state === 'string' && { requestState: state }),
    }
  }

  /** Runs until there is a result, or a question that the client answers with another request. */
  async run<R>(work: () => Promise<R>): Promise<R | InputRequiredResult> {
    this.#result = work()
    return (await this.#serve()) as R | InputRequiredResult
  }

  #result: Promise<unknown> = Promise.resolve()

  /** The client came back with answers. */
  async resume(context: ServerContext): Promise<unknown> {
    this.#context = context
    if (this.#state !== null) this.#host.unpark(this.#state)
    this.#state = null
    const responses = context.mcpReq.inputResponses ?? {}
    const open = this.#questions
    this.#questions = []
    for (const question of open) {
      const response = Object.hasOwn(responses, question.key) ? responses[question.key] : undefined
      // What is missing is asked again.
      if (typeof response === 'object' && response !== null) question.answer(response as Fields)
      else this.#questions.push(question)
    }
    return await this.#serve()
  }

  async #serve(): Promise<unknown> {
    const { signal } = this.#context.mcpReq
    const cancel = (): void => this.#stop.abort(signal.reason)
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
    try {
      for (;;) {
        const first = await Promise.race([this.#result, this.#asked()])
        if (first !== 'asked') return first
        // What is asked together is answered together; and it may have been taken back.
        await new Promise<void>((resolve) => this.#host.clock.defer(resolve))
        if (this.#questions.length > 0) return this.#inputRequired()
      }
    } finally {
      this.#onQuestion = null
      signal.removeEventListener('abort', cancel)
    }
  }

  #asked(): Promise<'asked'> {
    return new Promise((resolve) => {
      this.#onQuestion = () => resolve('asked')
      if (this.#questions.length > 0) resolve('asked')
    })
  }

  #inputRequired(): InputRequiredResult {
    const state = `${suspendedPrefix}${randomUUID()}`
    this.#state = state
    this.#host.park(this, state)
    const inputRequests: InputRequests = {}
    for (const { key, request } of this.#questions) inputRequests[key] = request as InputRequests[string]
    return inputRequired({ inputRequests, requestState: state })
  }

  /** Nobody comes back any more. */
  abandon(reason: unknown): void {
    this.#stop.abort(reason)
  }

  /** Puts a question to the client: to the person or the model behind it. */
  async ask(method: BridgedMethod, params: Fields, signal: AbortSignal): Promise<Fields> {
    this.#assertCan(method, params)
    if (this.#host.era === 'legacy') {
      const options = { signal, timeout: noSdkTimeout }
      return (await this.#context.mcpReq.send({ method, params }, options)) as Fields
    }
    const question: OpenQuestion = { key: randomUUID(), request: { method, params }, answer: () => {} }
    const answered = new Promise<Fields>((resolve) => {
      question.answer = resolve
    })
    this.#questions.push(question)
    this.#onQuestion?.()
    return await abortable(answered, signal).finally(() => {
      this.#questions = this.#questions.filter((other) => other !== question)
    })
  }

  #assertCan(method: BridgedMethod, params: Fields): void {
    if (this.#can(method, params)) return
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `the client does not support ${method}`)
  }

  #can(method: BridgedMethod, params: Fields): boolean {
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

  connectionFor(upstream: Upstream): Upstream {
    return this.#host.connectionFor(this, upstream)
  }

  async beforeSend(connection: Upstream, signal: AbortSignal): Promise<void> {
    await this.#host.beforeSend(connection, signal)
  }

  onSent(upstream: Upstream, uid: number): (answered: boolean) => void {
    this.uid = uid
    this.sentTo = upstream.name
    const end = this.#host.onSent(this, upstream)
    return (answered) => {
      this.uid = null
      this.sentTo = null
      end(answered)
    }
  }

  onProgress(progress: Progress): void {
    this.#progress = Math.max(this.#progress, progress.progress)
    this.#sendProgress(progress)
  }

  /** Still alive. */
  onHeartbeat(message: string): void {
    this.#progress += heartbeatStep
    this.#sendProgress({ progress: this.#progress, message })
  }

  #sendProgress(progress: Progress): void {
    const progressToken = this.#context.mcpReq._meta?.progressToken
    if (progressToken === undefined || this.#state !== null) return
    this.notify({ method: 'notifications/progress', params: { ...progress, progressToken } })
  }

  /** Passes a log message on, if the client wants to hear of such. */
  log(message: LogMessage): void {
    // The call may have been answered by now, so its own stream is closed.
    if (this.uid === null) return this.#host.sendLog(message)
    if (passesLevel(message.level, this.logLevel, this.#host.era))
      this.notify({ method: 'notifications/message', params: { ...message } })
  }

  notify(notification: Omit<JSONRPCNotification, 'jsonrpc'>): void {
    this.#context.mcpReq.notify(notification).catch(() => {})
  }
}
