import type { Turn } from '@curfew/core'
import type { Clock } from '@curfew/core/internal'

/** Calls within this time form one turn. */
const turnMs = 60_000

/** Divides the calls of a client into turns, which limits, loop detection and temporary approvals depend on. */
export class TurnClock {
  readonly #clock: Clock
  readonly #open: () => Turn
  #turn: Turn | null = null
  #ends = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, open: () => Turn) {
    this.#clock = clock
    this.#open = open
  }

  current(): Turn {
    const now = this.#clock.now()
    if (this.#turn !== null && now < this.#ends) return this.#turn
    this.#ends = now + turnMs
    this.#turn = this.#open()
    return this.#turn
  }
}
