import type { Clock, Timer } from '../clock/clock.ts'
import { Queue } from '../collections/queue.ts'

export interface SlotCallbacks<T> {
  /** Starts the waiter. Returns false if it no longer needs a slot. */
  start(waiter: T): boolean
  /** The maximum wait in milliseconds. Called only if there is no free slot. */
  maxWaitMs(waiter: T): number
  /** Called after the maximum wait. The waiter may have been cancelled meanwhile. */
  expire(waiter: T, waitedMs: number): void
}

interface Waiting<T> {
  readonly waiter: T
  readonly maxWaitMs: number
  readonly expiresAt: number
}

/** Runs at most `limit` calls at a time; the others wait in order, for a limited time. */
export class Slots<T> {
  readonly #clock: Clock
  readonly #limit: number
  readonly #callbacks: SlotCallbacks<T>
  readonly #waiting = new Queue<Waiting<T>>()
  #used = 0
  #timer: Timer | null = null
  #timerAt = Number.POSITIVE_INFINITY

  constructor(clock: Clock, limit: number, callbacks: SlotCallbacks<T>) {
    this.#clock = clock
    this.#limit = limit
    this.#callbacks = callbacks
  }

  /** Starts the waiter, now or when a slot is free. */
  request(waiter: T): void {
    if (this.#used < this.#limit) {
      this.#start(waiter)
      return
    }
    const maxWaitMs = this.#callbacks.maxWaitMs(waiter)
    const expiresAt = this.#clock.now() + maxWaitMs
    this.#waiting.push({ waiter, maxWaitMs, expiresAt })
    this.#armTimer(expiresAt)
  }

  release(): void {
    this.#used--
    while (this.#used < this.#limit) {
      const next = this.#waiting.shift()
      if (next === undefined) return this.#clearTimer()
      this.#start(next.waiter)
    }
  }

  #start(waiter: T): void {
    this.#used++
    if (!this.#callbacks.start(waiter)) this.#used--
  }

  /** One timer for the whole queue, at the earliest expiry in it. */
  #armTimer(at: number): void {
    if (at >= this.#timerAt) return
    this.#clearTimer()
    this.#timerAt = at
    this.#timer = this.#clock.setTimer(Math.max(0, at - this.#clock.now()), () => this.#onTimer())
  }

  #clearTimer(): void {
    if (this.#timer !== null) this.#clock.clearTimer(this.#timer)
    this.#timer = null
    this.#timerAt = Number.POSITIVE_INFINITY
  }

  #onTimer(): void {
    this.#clearTimer()
    const now = this.#clock.now()
    let next = Number.POSITIVE_INFINITY
    // A copy, because a call that expires may make others queue.
    for (const { waiter, maxWaitMs, expiresAt } of [...this.#waiting]) {
      // A system timer may fire a millisecond early.
      if (expiresAt <= now + 1) this.#callbacks.expire(waiter, maxWaitMs)
      else next = Math.min(next, expiresAt)
    }
    if (next < Number.POSITIVE_INFINITY) this.#armTimer(next)
  }
}
