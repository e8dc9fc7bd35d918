import type { Clock, Timer } from '../clock/clock.ts'
import { Queue } from '../collections/queue.ts'

export interface SlotWaiter {
  /** When it stops waiting, on the clock. */
  queueExpiry: number
  /** It no longer waits: it was cancelled, or has expired. */
  readonly waitingForSlot: boolean
  /** False if it has no use for the slot after all. */
  takeSlot(): boolean
  expireInQueue(): void
}

/** At most so many calls at once; the others wait in order, and not for ever. */
export class Slots<T extends SlotWaiter> {
  readonly #clock: Clock
  readonly #limit: number
  readonly #waiting = new Queue<T>()
  #taken = 0
  #timer: Timer | null = null
  #timerAt = Number.POSITIVE_INFINITY

  constructor(clock: Clock, limit: number) {
    this.#clock = clock
    this.#limit = limit
  }

  /** Calls `takeSlot`, now or later, or `expireInQueue` if it took too long. */
  request(waiter: T, queueMs: number): void {
    if (this.#taken < this.#limit) {
      this.#give(waiter)
      return
    }
    waiter.queueExpiry = this.#clock.now() + queueMs
    this.#waiting.push(waiter)
    this.#watch(waiter.queueExpiry)
  }

  release(): void {
    this.#taken--
    while (this.#taken < this.#limit) {
      const next = this.#waiting.shift()
      if (next === undefined) return this.#unwatch()
      if (next.waitingForSlot) this.#give(next)
    }
  }

  #give(waiter: T): void {
    this.#taken++
    if (!waiter.takeSlot()) this.#taken--
  }

  /** One timer for the whole queue, at the earliest expiry in it. */
  #watch(at: number): void {
    if (at >= this.#timerAt) return
    this.#unwatch()
    this.#timerAt = at
    this.#timer = this.#clock.setTimer(Math.max(0, at - this.#clock.now()), () => this.#expire())
  }

  #unwatch(): void {
    if (this.#timer !== null) this.#clock.clearTimer(this.#timer)
    this.#timer = null
    this.#timerAt = Number.POSITIVE_INFINITY
  }

  #expire(): void {
    this.#unwatch()
    const now = this.#clock.now()
    let next = Number.POSITIVE_INFINITY
    // A copy: an expiring call may make others queue.
    for (const waiter of [...this.#waiting]) {
      if (!waiter.waitingForSlot) continue
      if (waiter.queueExpiry <= now + 1) waiter.expireInQueue()
      else next = Math.min(next, waiter.queueExpiry)
    }
    if (next < Number.POSITIVE_INFINITY) this.#watch(next)
  }
}
