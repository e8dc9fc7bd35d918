/** Where a failure breaker stands. */
export type FailureBreakerState =
  | { readonly state: 'closed'; readonly failures: number }
  | { readonly state: 'open'; readonly failures: number; readonly retryAt: number }
  | {
      readonly state: 'half-open'
      readonly failures: number
      readonly retryAt: number
      readonly probe: number
    }

/** How a call ended, in the eyes of its breaker. */
export type BreakerOutcome = 'healthy' | 'failed' | 'cancelled'

/**
 * Opens after so many failures in a row, and lets a single probe through when it has cooled down.
 * Only the probe's own end decides what comes next.
 */
export class FailureBreaker {
  readonly #threshold: number
  readonly #cooldownMs: number
  #state: FailureBreakerState = { state: 'closed', failures: 0 }

  constructor(threshold: number, cooldownMs: number) {
    this.#threshold = threshold
    this.#cooldownMs = cooldownMs
  }

  get state(): FailureBreakerState {
    return this.#state
  }

  /** How many milliseconds a call would have to wait; `null` if it may go ahead. Changes nothing. */
  waitMs(now: number): number | null {
    const current = this.#state
    if (current.state === 'closed') return null
    if (current.state === 'half-open') return Math.max(0, current.retryAt - now)
    return now >= current.retryAt ? null : current.retryAt - now
  }

  /** A call starts. After the cooldown, the first one is the probe. */
  start(call: number, now: number): void {
    const current = this.#state
    if (current.state === 'open' && now >= current.retryAt) {
      this.#state = { ...current, state: 'half-open', probe: call }
    }
  }

  end(call: number, outcome: BreakerOutcome, now: number): void {
    const current = this.#state
    const probing = current.state === 'half-open'
    if (probing ? current.probe !== call : current.state === 'open') return
    if (outcome === 'cancelled') {
      if (probing) this.#state = { state: 'open', failures: current.failures, retryAt: current.retryAt }
      return
    }
    const failures = outcome === 'failed' ? current.failures + 1 : 0
    this.#state =
      failures > 0 && (probing || failures >= this.#threshold)
        ? { state: 'open', failures, retryAt: now + this.#cooldownMs }
        : { state: 'closed', failures }
  }
}
