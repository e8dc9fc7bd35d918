import { randomUUID } from 'node:crypto'
import type { Clock } from '@curfew/core/internal'

/** A client's calls within this time form one turn. */
const turnMs = 60_000

/** Assigns the calls of a client to turns, which limits, loop detection and temporary approvals depend on. */
export class TurnClock {
  readonly #clock: Clock
  readonly #id = randomUUID()
  #turn = 0
  #ends = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the id of the current turn. */
  current(): string {
    const now = this.#clock.now()
    if (now >= this.#ends) {
      this.#turn++
      this.#ends = now + turnMs
    }
    return `${this.#id} ${this.#turn}`
  }
}
