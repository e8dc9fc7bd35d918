import { formatDuration } from '@curfew/core'
import type { Clock, Timer } from '@curfew/core/internal'
import { withTimer } from '@curfew/core/internal'
import { failure, ModelError, type ModelFailure } from './model-error.ts'
import type { ResolvedModelLimits } from './model-limits.ts'

/** Stops waiting for a model at its limits, or when the request is aborted, whatever the provider does. */
export class RequestGuard {
  readonly #clock: Clock
  readonly #limits: ResolvedModelLimits
  readonly #model: string
  readonly #signal: AbortSignal | undefined
  readonly #deadline: number
  readonly #totalTimer: Timer
  #attempt: AbortController | null = null
  #attemptTimer: Timer | null = null
  /** When the current wait began; `null` while the consumer is working. */
  #waitingSince: number | null = null
  #interrupt: ((failed: ModelError) => void) | null = null
  /** Why the request was ended. The first cause wins. */
  #failure: ModelFailure | null = null

  constructor(clock: Clock, limits: ResolvedModelLimits, model: string, signal: AbortSignal | undefined) {
    this.#clock = clock
    this.#limits = limits
    this.#model = model
    this.#signal = signal
    this.#deadline = clock.now() + limits.totalMs
    this.#totalTimer = clock.setTimer(limits.totalMs, () => this.#exceed('total', limits.totalMs))
    if (signal?.aborted) this.#abort()
    else signal?.addEventListener('abort', this.#abort, { once: true })
  }

  /** Begins an attempt, and returns the signal for the provider. */
  beginAttempt(): AbortSignal {
    if (this.#failure !== null) throw new ModelError(this.#failure)
    const { firstTokenMs } = this.#limits
    const attempt = new AbortController()
    this.#attempt = attempt
    this.#attemptTimer = this.#clock.setTimer(firstTokenMs, () => this.#exceed('first-token', firstTokenMs))
    return attempt.signal
  }

  /** The first token has arrived: from now on, the idle limit applies. */
  beginIdleLimit(): void {
    this.#clearAttemptTimer()
    this.#armIdle(this.#limits.idleMs)
  }

  /** Ends the attempt, and tells the provider to stop unless it has. */
  endAttempt(isComplete: boolean): void {
    this.#clearAttemptTimer()
    if (!isComplete) this.#attempt?.abort(new DOMException('The request has ended.', 'AbortError'))
    this.#attempt = null
  }

  /** Waits for a promise. Rejects as soon as the request has been ended, even if the promise never settles. */
  wait<T>(promise: PromiseLike<T>): Promise<T> {
    const now = this.#clock.now()
    // Timers do not fire while a stream that is always ready keeps the event loop busy.
    if (now >= this.#deadline) this.#exceed('total', this.#limits.totalMs)
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => this.#endWait(reject) && resolve(value),
        (error) => this.#endWait(reject) && reject(error),
      )
      if (this.#failure !== null) return reject(new ModelError(this.#failure))
      this.#interrupt = reject
      this.#waitingSince = now
    })
  }

  /** Returns false if the wait was interrupted. */
  #endWait(interrupt: (failed: ModelError) => void): boolean {
    if (this.#interrupt !== interrupt) return false
    this.#interrupt = null
    this.#waitingSince = null
    return true
  }

  /** The time left for the whole request. */
  get remainingMs(): number {
    return this.#deadline - this.#clock.now()
  }

  /** Waits for a promise, but at most this long; after that, the result is `null`. */
  async waitAtMost<T>(promise: Promise<T>, ms: number): Promise<T | null> {
    return await withTimer(this.#clock, ms, (elapsed) =>
      this.wait(Promise.race([promise, elapsed.then(() => null)])),
    )
  }

  async sleep(delayMs: number): Promise<void> {
    await this.waitAtMost(new Promise<never>(() => {}), delayMs)
  }

  /** Lets timers and other events run. */
  async yieldToEvents(): Promise<void> {
    await this.wait(new Promise<void>((resolve) => this.#clock.defer(resolve)))
  }

  close(): void {
    this.#clock.clearTimer(this.#totalTimer)
    this.#signal?.removeEventListener('abort', this.#abort)
    this.endAttempt(false)
  }

  /** The time that the consumer needs does not count. One timer for all parts: it is armed again only when it fires. */
  #armIdle(delayMs: number): void {
    this.#attemptTimer = this.#clock.setTimer(delayMs, () => {
      const { idleMs } = this.#limits
      const left = idleMs - (this.#waitingSince === null ? 0 : this.#clock.now() - this.#waitingSince)
      // Timers may fire almost 1 ms early.
      if (left < 1) this.#exceed('idle', idleMs)
      else this.#armIdle(left)
    })
  }

  #clearAttemptTimer(): void {
    if (this.#attemptTimer !== null) this.#clock.clearTimer(this.#attemptTimer)
    this.#attemptTimer = null
  }

  readonly #abort = (): void => this.#end(failure('aborted', this.#model, 'the request was aborted'))

  #exceed(kind: keyof typeof limitProblems, ms: number): void {
    const problem = `${limitProblems[kind]} within ${formatDuration(ms)}`
    this.#end(failure(kind, this.#model, problem, kind !== 'total'))
  }

  #end(cause: ModelFailure): void {
    if (this.#failure !== null) return
    this.#failure = cause
    const interrupt = this.#interrupt
    this.#interrupt = null
    this.#waitingSince = null
    interrupt?.(new ModelError(cause))
    this.endAttempt(false)
  }
}

const limitProblems = {
  'first-token': 'no response',
  idle: 'nothing was received',
  total: 'the response was not complete',
} as const
