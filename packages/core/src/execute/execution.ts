import type { CallResult } from '../call/call-result.ts'
import type { Progress } from '../call/progress.ts'
import type { ToolCall } from '../call/tool-call.ts'
import type { Timer } from '../clock/clock.ts'
import type { Adapter } from '../deadline/adapter-timeouts.ts'
import type { CallTimerListener } from '../deadline/call-timer.ts'
import { CallTimer } from '../deadline/call-timer.ts'
import type { ResolvedTimeout } from '../deadline/resolve-timeout.ts'
import { ToolTimeoutError } from '../deadline/tool-timeout-error.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { withoutStack } from '../errors/without-stack.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import { HeadTail } from '../output/head-tail.ts'
import { OutputText } from '../output/output-text.ts'
import type { OutputStream } from '../process/output-stream.ts'
import type { Conversation, ConversationOptions } from '../tool/conversation.ts'
import { limitSetting } from '../tool/limit-setting.ts'
import type { ThreadFunction, Tool } from '../tool/tool.ts'
import type { CallDeadline, InputRequest, SecretRequest, ToolContext } from '../tool/tool-context.ts'
import { guardListeners } from './guard-listeners.ts'
import { ToolThread } from './tool-thread.ts'

/** How an execution ended. */
export type ExecutionOutcome =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'stopped'; readonly error: CurfewError; readonly abandoned: boolean }

/** The part of a call that an execution reads. It passes the call on to the services and callbacks. */
export type ExecutedCall = Pick<ToolContext, 'callId' | 'uid' | 'meta' | 'restriction' | 'traceContext'> & {
  readonly totalDepth: number
  readonly maxDepth: number
}

/** Everything that a tool can do besides returning. */
export interface ToolServices<C> {
  /** `text` is redacted; `offset` is its position in the output of both streams; `pending` follows it for now. */
  onOutput(call: C, stream: OutputStream, text: string, offset: number, pending: string): void
  onProgress(call: C, progress: Progress): void
  onHeartbeat(call: C, elapsedMs: number): void
  /** The tool emitted output or ended after the execution had ended. */
  onLate(call: C, kind: 'output' | 'returned' | 'threw'): void
  /** A listener of the signal threw. */
  onListenerError(call: C, error: unknown): void
  ask(call: C, request: InputRequest): Promise<string>
  secret(call: C, name: string): Promise<string>
  requestSecret(call: C, request: SecretRequest): Promise<void>
  log(call: C, message: string): void
  execute(call: C, calls: readonly ToolCall[]): Promise<CallResult[]>
  conversation(call: C, options?: ConversationOptions): Conversation
  /** Continues the call in the background. Resolves with the uid of the background task. */
  detach(call: C, content?: string): Promise<number>
  /** Runs the tool's function, inside the middleware if there is any. */
  run(call: C, context: ToolContext, execute: () => unknown): unknown
}

export interface ExecutionCallbacks<C> {
  /** Called once. */
  onOutcome(call: C, outcome: ExecutionOutcome): void
  /** The signal was aborted; everything that runs inside the call must stop too. */
  onStop(call: C, error: CurfewError): void
}

export type ExecutionSettings = Pick<
  RuntimeSettings,
  'clock' | 'grace' | 'heartbeat' | 'maxContentLength' | 'redactor'
>

export interface ExecutionOptions<C> {
  readonly call: C
  readonly tool: Tool
  readonly params: unknown
  readonly timeout: ResolvedTimeout
  /** The adapter whose limit applies: the tool's, or `background`. */
  readonly adapter: Adapter
  readonly parentTimer: CallTimer | null
}

/**
 * One run of one tool. It ends exactly once: when the tool ends, or at the latest when the grace period after the abort of
 * its signal is over.
 */
export class Execution<C extends ExecutedCall> implements CallTimerListener {
  readonly #settings: ExecutionSettings
  readonly #services: ToolServices<C>
  readonly #callbacks: ExecutionCallbacks<C>
  // Not the options as a whole: 10,000 calls may run at the same time.
  readonly #tool: Tool
  readonly #params: unknown
  readonly #controller = new AbortController()
  readonly timer: CallTimer
  /** Created with the first chunk, because most tools emit none. */
  #output: HeadTail | null = null
  #stdout: OutputText | null = null
  #stderr: OutputText | null = null
  #pendingOutput = ''
  readonly #deadline: Deadline
  #call: C
  #adapter: Adapter
  #stopError: CurfewError | null = null
  #graceTimer: Timer | null = null
  #thread: ToolThread | null = null
  #done = false

  constructor(
    settings: ExecutionSettings,
    services: ToolServices<C>,
    callbacks: ExecutionCallbacks<C>,
    options: ExecutionOptions<C>,
  ) {
    this.#settings = settings
    this.#services = services
    this.#callbacks = callbacks
    this.#tool = options.tool
    this.#params = options.params
    this.#call = options.call
    this.#adapter = options.adapter
    this.timer = new CallTimer(
      settings.clock,
      {
        totalMs: options.timeout.timeoutMs,
        idleMs: options.tool.idleTimeoutMs,
        heartbeatMs: settings.heartbeat,
      },
      this,
      options.parentTimer,
    )
    this.#deadline = new Deadline(options.timeout, this.timer)
    guardListeners(this.#controller.signal, (error) => services.onListenerError(this.#call, error))
  }

  start(): void {
    // An observer of the call's transitions may have stopped it.
    if (this.#stopError !== null) {
      return this.#finish({ kind: 'stopped', error: this.#stopError, abandoned: false })
    }
    this.timer.start()
    // The promise calls the `then` of a thenable result at most once, and not before this function has returned.
    new Promise((resolve) => resolve(this.#run())).then(
      (value) => this.#onEnd({ kind: 'returned', value }),
      (error) => this.#onEnd({ kind: 'threw', error }),
    )
  }

  /** Aborts the signal and waits for the tool, at most for the grace period. The first cause wins. */
  stop(error: CurfewError): void {
    if (this.#done || this.#stopError !== null) return
    this.#stopError = error
    this.timer.stop()
    const { clock, grace } = this.#settings
    const tool = this.#tool
    this.#graceTimer = clock.setTimer(Math.max(grace, tool.graceMs), () => this.#onGraceOver())
    this.#controller.abort(error)
    this.#callbacks.onStop(this.#call, error)
  }

  /** Continues on behalf of a background task. */
  moveTo(task: C): void {
    this.#call = task
    this.#adapter = 'background'
  }

  /** Starts the clock again, with another total limit. */
  restartClock(timeout: ResolvedTimeout): void {
    this.#deadline.timeout = timeout
    this.timer.restart(timeout.timeoutMs)
  }

  get output(): HeadTail | null {
    return this.#output
  }

  /** The end of the output that may become part of a secret, as it may be shown until more arrives. */
  get pendingOutput(): string {
    return this.#pendingOutput
  }

  get ended(): boolean {
    return this.#done
  }

  get timeout(): ResolvedTimeout {
    return this.#deadline.timeout
  }

  get stopping(): boolean {
    return this.#stopError !== null
  }

  onLimit(limit: 'total' | 'idle'): void {
    const tool = this.#tool
    const { overrides } = tool
    const { timeout } = this.#deadline
    const source = limit === 'total' ? timeout.source : overrides?.idleTimeout ? 'tools' : 'tool'
    this.stop(
      withoutStack(
        () =>
          new ToolTimeoutError({
            toolName: tool.name,
            limit,
            limitMs: limit === 'idle' ? tool.idleTimeoutMs! : timeout.timeoutMs,
            // A system timer may fire slightly early.
            elapsedMs: Math.max(this.timer.elapsedMs(), limit === 'idle' ? 0 : timeout.timeoutMs),
            source,
            setting: limitSetting(
              { adapter: this.#adapter, overrides },
              source,
              limit === 'total' ? 'timeout' : 'idleTimeout',
            ),
          }),
      ),
    )
  }

  onHeartbeat(elapsedMs: number): void {
    this.#services.onHeartbeat(this.#call, elapsedMs)
  }

  #run(): unknown {
    const tool = this.#tool
    const params = this.#params
    const context = this.#context()
    return this.#services.run(this.#call, context, () => {
      // Middleware may call this late.
      if (this.#stopError !== null) throw this.#stopError
      if (this.#done) throw new CurfewError('CANCELLED', `${tool.name} has ended`)
      if (typeof tool.execute === 'function') return tool.execute(params as never, context)
      this.#thread = new ToolThread(tool.execute as ThreadFunction, params, context)
      return this.#thread.result
    })
  }

  #context(): ToolContext {
    const services = this.#services
    const call = this.#call
    return {
      callId: call.callId,
      uid: call.uid,
      meta: call.meta,
      restriction: call.restriction,
      depth: call.totalDepth,
      maxDepth: call.maxDepth,
      traceContext: call.traceContext,
      signal: this.#controller.signal,
      deadline: this.#deadline,
      output: (chunk, stream) => this.#onOutput(chunk, stream),
      progress: (progress) => this.#onProgress(progress),
      ask: (request) => services.ask(this.#call, request),
      secret: (name) => services.secret(this.#call, name),
      requestSecret: (request) => services.requestSecret(this.#call, request),
      log: (message) => services.log(this.#call, message),
      execute: (calls) => services.execute(this.#call, calls),
      conversation: (options) => services.conversation(this.#call, options),
      detach: (content) => services.detach(this.#call, content),
    }
  }

  #onOutput(chunk: string | Uint8Array, stream: OutputStream = 'stdout'): void {
    const call = this.#call
    if (this.#done) return this.#services.onLate(call, 'output')
    this.timer.touch()
    this.#append(stream, this.#textOf(stream).push(chunk))
  }

  #append(stream: OutputStream, text: string): void {
    const pending = (this.#stdout?.pending ?? '') + (this.#stderr?.pending ?? '')
    if (text === '' && pending === this.#pendingOutput) return
    this.#pendingOutput = pending
    this.#output ??= new HeadTail(this.#settings.maxContentLength)
    const offset = this.#output.length
    this.#output.append(text)
    this.#services.onOutput(this.#call, stream, text, offset, pending)
  }

  #textOf(stream: OutputStream): OutputText {
    if (stream === 'stderr') {
      this.#stderr ??= this.#newText(stream)
      return this.#stderr
    }
    this.#stdout ??= this.#newText(stream)
    return this.#stdout
  }

  #newText(stream: OutputStream): OutputText {
    const { redactor, clock } = this.#settings
    return new OutputText(redactor.stream(), clock, () => this.#append(stream, ''))
  }

  #onProgress(progress: Progress): void {
    const call = this.#call
    if (this.#done) return this.#services.onLate(call, 'output')
    this.timer.touch()
    this.#services.onProgress(call, progress)
  }

  #onEnd(outcome: ExecutionOutcome): void {
    if (this.#done) {
      // A terminated thread reports its own end, which is not a late result.
      if (this.#thread === null && outcome.kind !== 'stopped') this.#services.onLate(this.#call, outcome.kind)
      return
    }
    if (this.#stopError === null) this.#finish(outcome)
    else this.#finish({ kind: 'stopped', error: this.#stopError, abandoned: false })
  }

  #onGraceOver(): void {
    if (this.#done) return
    this.#thread?.terminate()
    this.#finish({ kind: 'stopped', error: this.#stopError!, abandoned: this.#thread === null })
  }

  #finish(outcome: ExecutionOutcome): void {
    this.#done = true
    this.timer.stop()
    if (this.#graceTimer !== null) this.#settings.clock.clearTimer(this.#graceTimer)
    if (this.#stdout !== null) this.#append('stdout', this.#stdout.end())
    if (this.#stderr !== null) this.#append('stderr', this.#stderr.end())
    this.#callbacks.onOutcome(this.#call, outcome)
  }
}

class Deadline implements CallDeadline {
  /** Changes if the call continues in the background. */
  timeout: ResolvedTimeout
  readonly #timer: CallTimer

  constructor(timeout: ResolvedTimeout, timer: CallTimer) {
    this.timeout = timeout
    this.#timer = timer
  }

  get timeoutMs(): number {
    return this.timeout.timeoutMs
  }

  get source(): ResolvedTimeout['source'] {
    return this.timeout.source
  }

  get remainingMs(): number {
    return this.#timer.remainingMs()
  }
}
