import type { Clock } from '@curfew/core/internal'

/** So many messages a second that nobody asked for are a flood. */
const maxUnsolicited = 5_000
const windowMs = 1_000

export const floodReason: string = `it was stopped: it sent more than ${maxUnsolicited} messages in a second that nobody asked for`

/** Counts what a server sends without being asked. */
export class FloodGauge {
  readonly #clock: Clock
  #count = 0
  #since = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** True if this one is too many. */
  push(): boolean {
    const now = this.#clock.now()
    if (now - this.#since > windowMs) {
      this.#since = now
      this.#count = 0
    }
    return ++this.#count > maxUnsolicited
  }
}
