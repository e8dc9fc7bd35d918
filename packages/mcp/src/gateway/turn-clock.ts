import { randomUUID } from 'node:crypto'
import type { Clock } from '@curfew/core/internal'

/** A client's calls within this time are one turn. */
const turnMs = 60_000

/** Which turn a client is in: limits, loops and what was allowed for a while are counted by it. */
export class TurnClock {
  readonly #clock: Clock
  readonly #id = randomUUID()
  #turn = 0
  #ends = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  now(): string {
    const now = this.#clock.now()
    if (now >= this.#ends) {
      this.#turn++
      this.#ends = now + turnMs
    }
    return `${this.#id} ${this.#turn}`
  }
}
