import type { Clock, Timer } from '../clock/clock.ts'
import type { CallTimerListener } from '../deadline/call-timer.ts'
import { CallTimer } from '../deadline/call-timer.ts'
import type { ResolvedTimeout } from '../deadline/resolve-timeout.ts'
import { ToolTimeoutError } from '../deadline/tool-timeout-error.ts'
import type { CurfewError } from '../errors/curfew-error.ts'
import { withoutStack } from '../errors/without-stack.ts'
import { HeadTail } from '../output/head-tail.ts'
import { OutputText } from '../output/output-text.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { ThreadFunction, Tool } from '../tool/tool.ts'
import type { CallDeadline, OutputStream, Progress, ToolContext } from '../tool/tool-context.ts'
import { ToolThread } from './tool-thread.ts'

/** How an execution ended. */
export type ExecutionOutcome =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'stopped'; readonly error: CurfewError; readonly abandoned: boolean }

/** Whoever started an execution: hears of its end, once, and serves what the tool asks for. */
export interface ExecutionHost
  extends Pick<
    ToolContext,
    'callId' | 'uid' | 'meta' | 'ask' | 'secret' | 'requestSecret' | 'log' | 'execute'
  > {
  onOutcome(outcome: ExecutionOutcome): void
  onOutput(): void
  onProgress(progress: Progress): void
  onHeartbeat(elapsedMs: number): void
  /** The signal has just been aborted; what runs inside the call must stop too. */
  onStop(error: CurfewError): void
  /** Something arrived after the end. */
  onLate(what: 'result' | 'output'): void
}

export interface ExecutionOptions {
  readonly clock: Clock
  readonly tool: Tool
  readonly params: unknown
  readonly timeout: ResolvedTimeout
  readonly parentTimer: CallTimer | null
  readonly graceMs: number
  readonly heartbeatMs: number
  readonly maxOutputLength: number
  readonly redactor: Redactor
}

/**
 * One run of one tool. It ends when the tool does, or a short grace after its signal was aborted,
 * whatever the tool does, and it ends once.
 */
export class Execution implements CallTimerListener {
  readonly #options: ExecutionOptions
  readonly #host: ExecutionHost
  readonly #controller = new AbortController()
  readonly timer: CallTimer
  /** Made with the first chunk: most tools emit none. */
  #output: HeadTail | null = null
  #streams: Map<OutputStream, OutputText> | null = null
  #stopError: CurfewError | null = null
  #graceTimer: Timer | null = null
  #thread: ToolThread | null = null
  #done = false

  constructor(options: ExecutionOptions, host: ExecutionHost) {
    this.#options = options
    this.#host = host
    this.timer = new CallTimer(
      options.clock,
      {
        totalMs: options.timeout.timeoutMs,
        idleMs: options.tool.idleTimeoutMs,
        heartbeatMs: options.heartbeatMs,
      },
      this,
      options.parentTimer,
    )
  }

  start(): void {
    // Somebody who watches the call's steps may have stopped it just now.
    if (this.#stopError !== null) {
      return this.#finish({ kind: 'stopped', error: this.#stopError, abandoned: false })
    }
    this.timer.start()
    // Whatever comes back, its `then` is called once at the most, and not before this function has ended.
    new Promise((resolve) => resolve(this.#run())).then(
      (value) => this.#onEnd({ kind: 'returned', value }),
      (error) => this.#onEnd({ kind: 'threw', error }),
    )
  }

  /** Aborts the signal, then waits for the tool, but not longer than the grace. The first cause wins. */
  stop(error: CurfewError): void {
    if (this.#done || this.#stopError !== null) return
    this.#stopError = error
    this.timer.stop()
    const { clock, tool } = this.#options
    const graceMs = Math.max(this.#options.graceMs, tool.graceMs)
    this.#graceTimer = clock.setTimer(graceMs, () => this.#onGraceOver())
    this.#controller.abort(error)
    this.#host.onStop(error)
  }

  get output(): HeadTail | null {
    return this.#output
  }

  get stopping(): boolean {
    return this.#stopError !== null
  }

  onLimit(limit: 'total' | 'idle'): void {
    const { tool, timeout } = this.#options
    this.stop(
      withoutStack(
        () =>
          new ToolTimeoutError({
            toolName: tool.name,
            limit,
            limitMs: limit === 'idle' ? tool.idleTimeoutMs! : timeout.timeoutMs,
            // A timer may fire a little early; the limit was reached all the same.
            elapsedMs: Math.max(this.timer.elapsedMs(), limit === 'idle' ? 0 : timeout.timeoutMs),
            source: limit === 'idle' ? 'tool' : timeout.source,
          }),
      ),
    )
  }

  onHeartbeat(elapsedMs: number): void {
    this.#host.onHeartbeat(elapsedMs)
  }

  #run(): unknown {
    const { tool, params } = this.#options
    const context = this.#context()
    if (typeof tool.execute === 'function') return tool.execute(params as never, context)
    this.#thread = new ToolThread(tool.execute as ThreadFunction, params, context)
    return this.#thread.result
  }

  #context(): ToolContext {
    const host = this.#host
    return {
      callId: host.callId,
      uid: host.uid,
      meta: host.meta,
      signal: this.#controller.signal,
      deadline: new Deadline(this.#options.timeout, this.timer),
      output: (chunk, stream) => this.#onOutput(chunk, stream),
      progress: (progress) => this.#onProgress(progress),
      ask: (request) => host.ask(request),
      secret: (name) => host.secret(name),
      requestSecret: (request) => host.requestSecret(request),
      log: (message) => host.log(message),
      execute: (calls) => host.execute(calls),
    }
  }

  #onOutput(chunk: string | Uint8Array, stream: OutputStream = 'stdout'): void {
    if (this.#done) return this.#host.onLate('output')
    this.#append(this.#textOf(stream).push(chunk))
    this.timer.touch()
    this.#host.onOutput()
  }

  #append(text: string): void {
    if (text === '') return
    this.#output ??= new HeadTail(this.#options.maxOutputLength)
    this.#output.append(text)
  }

  #textOf(stream: OutputStream): OutputText {
    this.#streams ??= new Map()
    let text = this.#streams.get(stream)
    if (text === undefined) {
      text = new OutputText(this.#options.redactor.stream())
      this.#streams.set(stream, text)
    }
    return text
  }

  #onProgress(progress: Progress): void {
    if (this.#done) return this.#host.onLate('output')
    this.timer.touch()
    this.#host.onProgress(progress)
  }

  #onEnd(outcome: ExecutionOutcome): void {
    if (this.#done) {
      // A terminated thread reports its own end; nothing was late about that.
      if (this.#thread === null) this.#host.onLate('result')
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
    if (this.#streams !== null) for (const stream of this.#streams.values()) this.#append(stream.end())
    this.#done = true
    this.timer.stop()
    if (this.#graceTimer !== null) this.#options.clock.clearTimer(this.#graceTimer)
    this.#host.onOutcome(outcome)
  }
}

class Deadline implements CallDeadline {
  readonly #timeout: ResolvedTimeout
  readonly #timer: CallTimer

  constructor(timeout: ResolvedTimeout, timer: CallTimer) {
    this.#timeout = timeout
    this.#timer = timer
  }

  get timeoutMs(): number {
    return this.#timeout.timeoutMs
  }

  get source(): ResolvedTimeout['source'] {
    return this.#timeout.source
  }

  get remainingMs(): number {
    return this.#timer.remainingMs()
  }
}
