import type { Clock, Timer } from '@curfew/core/internal'
import type { ClientRequest } from './client-request.ts'

/** Calls that wait for an answer which a client of 2026 brings with another request. */
export class SuspendedRequests {
  readonly #clock: Clock
  readonly #patienceMs: number
  readonly #calls = new Map<string, { readonly exchange: ClientRequest; readonly expiry: Timer }>()

  constructor(clock: Clock, waitMs: number) {
    this.#clock = clock
    this.#patienceMs = waitMs
  }

  add(exchange: ClientRequest, state: string): void {
    const expiry = this.#clock.setTimer(this.#patienceMs, () => {
      this.#calls.delete(state)
      exchange.abandon(new Error('nobody came back with an answer'))
    })
    this.#calls.set(state, { exchange, expiry })
  }

  get(state: string): ClientRequest | undefined {
    return this.#calls.get(state)?.exchange
  }

  remove(state: string): void {
    const parked = this.#calls.get(state)
    if (parked !== undefined) this.#clock.clearTimer(parked.expiry)
    this.#calls.delete(state)
  }

  close(): void {
    for (const [state, { exchange }] of this.#calls) {
      this.remove(state)
      exchange.abandon(new Error('Curfew is ending'))
    }
  }
}
