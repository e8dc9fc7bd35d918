/** The state of the window breaker. */
export interface WindowBreakerSnapshot {
  /** Calls in the current window. */
  readonly toolCallCount: number
  readonly maxCallsPerWindow: number
  /** The length of a window in milliseconds. */
  readonly resetTime: number
  /** When the current window ends, in milliseconds since 1970. If it is full, calls are rejected until then. */
  readonly windowEnd: number
}

/** Stops runaway loops by limiting the number of calls per window. */
export class WindowBreaker {
  readonly #maxCallsPerWindow: number
  readonly #resetTime: number
  #toolCallCount = 0
  #windowEnd = 0

  constructor(maxCallsPerWindow: number, resetTime: number) {
    this.#maxCallsPerWindow = maxCallsPerWindow
    this.#resetTime = resetTime
  }

  /** Counts a call and returns `null`; or, if the window is full, returns the milliseconds until it ends. */
  admit(now: number): number | null {
    if (now >= this.#windowEnd) {
      this.#windowEnd = now + this.#resetTime
      this.#toolCallCount = 0
    }
    if (this.#toolCallCount >= this.#maxCallsPerWindow) return this.#windowEnd - now
    this.#toolCallCount++
    return null
  }

  snapshot(wallOffset: number): WindowBreakerSnapshot {
    return {
      toolCallCount: this.#toolCallCount,
      maxCallsPerWindow: this.#maxCallsPerWindow,
      resetTime: this.#resetTime,
      windowEnd: this.#windowEnd + wallOffset,
    }
  }
}
