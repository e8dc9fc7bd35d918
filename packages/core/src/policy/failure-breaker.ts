/** The state of a failure breaker. */
export type FailureBreakerState =
  | { readonly state: 'closed'; readonly failures: number }
  | { readonly state: 'open'; readonly failures: number; readonly retryAt: number }
  | {
      readonly state: 'half-open'
      readonly failures: number
      readonly retryAt: number
      readonly probe: number
    }

/** How a call counts for a breaker. */
export type BreakerOutcome = 'healthy' | 'failed' | 'cancelled'

/**
 * Opens after a number of consecutive failures, and lets a single probe through after the cooldown. Only the outcome of
 * the probe decides whether it closes.
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

  /** How long a call would have to wait, in milliseconds; `null` if it may run. Does not change the state. */
  waitMs(now: number): number | null {
    const current = this.#state
    if (current.state === 'closed') return null
    if (current.state === 'half-open') return Math.max(0, current.retryAt - now)
    return now >= current.retryAt ? null : current.retryAt - now
  }

  /** After the cooldown, the first call that starts is the probe. */
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
