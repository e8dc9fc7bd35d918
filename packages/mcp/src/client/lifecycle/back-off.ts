const minDelayMs = 500
const maxDelayMs = 30_000
/** Whoever ran for so long is not in a crash loop. */
const settledMs = 10_000

/** When a server that failed may be started again: at once, then later and later. */
export class BackOff {
  #failures = 0
  #startableAt = Number.NEGATIVE_INFINITY

  onFailure(now: number, ranMs: number): void {
    if (ranMs > settledMs) this.#failures = 0
    const wait = this.#failures === 0 ? 0 : Math.min(maxDelayMs, minDelayMs * 2 ** (this.#failures - 1))
    this.#failures++
    this.#startableAt = now + wait
  }

  waitMs(now: number): number {
    return Math.max(0, this.#startableAt - now)
  }
}
