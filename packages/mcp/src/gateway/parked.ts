import type { Clock, Timer } from '@curfew/core/internal'
import type { Exchange } from './exchange.ts'

/** Calls that wait for an answer which a client of 2026 brings with another request. */
export class Parked {
  readonly #clock: Clock
  readonly #patienceMs: number
  readonly #calls = new Map<string, { readonly exchange: Exchange; readonly expiry: Timer }>()

  constructor(clock: Clock, patienceMs: number) {
    this.#clock = clock
    this.#patienceMs = patienceMs
  }

  add(exchange: Exchange, state: string): void {
    const expiry = this.#clock.setTimer(this.#patienceMs, () => {
      this.#calls.delete(state)
      exchange.abandon(new Error('nobody came back with an answer'))
    })
    this.#calls.set(state, { exchange, expiry })
  }

  get(state: string): Exchange | undefined {
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
