const minDelayMs = 500
const maxDelayMs = 30_000
/** A server that ran for this long is not in a crash loop. */
const stableMs = 10_000

/** Delays restarts: the first is immediate, and each later delay is twice as long as the one before. */
export class BackOff {
  #failures = 0
  #startableAt = Number.NEGATIVE_INFINITY

  onFailure(now: number, ranMs: number): void {
    if (ranMs > stableMs) this.#failures = 0
    const delayMs = this.#failures === 0 ? 0 : Math.min(maxDelayMs, minDelayMs * 2 ** (this.#failures - 1))
    this.#failures++
    this.#startableAt = now + delayMs
  }

  waitMs(now: number): number {
    return Math.max(0, this.#startableAt - now)
  }
}
