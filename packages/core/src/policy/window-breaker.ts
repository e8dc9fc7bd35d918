/** What the window breaker shows of itself. */
export interface WindowBreakerSnapshot {
  /** Calls in the current window. */
  readonly toolCallCount: number
  readonly maxCallsPerWindow: number
  /** The length of a window in milliseconds. */
  readonly resetTime: number
  readonly open: boolean
}

/** Stops a runaway loop: no more than so many calls in a window, whatever they are. */
export class WindowBreaker {
  readonly #maxCallsPerWindow: number
  readonly #resetTime: number
  #toolCallCount = 0
  #windowEnd = 0

  constructor(maxCallsPerWindow: number, resetTime: number) {
    this.#maxCallsPerWindow = maxCallsPerWindow
    this.#resetTime = resetTime
  }

  /** Counts a call and returns `null`, or how many milliseconds the window is still closed for. */
  admit(now: number): number | null {
    if (now >= this.#windowEnd) {
      this.#windowEnd = now + this.#resetTime
      this.#toolCallCount = 0
    }
    if (this.#toolCallCount >= this.#maxCallsPerWindow) return this.#windowEnd - now
    this.#toolCallCount++
    return null
  }

  snapshot(now: number): WindowBreakerSnapshot {
    const toolCallCount = now >= this.#windowEnd ? 0 : this.#toolCallCount
    return {
      toolCallCount,
      maxCallsPerWindow: this.#maxCallsPerWindow,
      resetTime: this.#resetTime,
      open: toolCallCount >= this.#maxCallsPerWindow,
    }
  }
}
