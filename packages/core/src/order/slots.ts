import type { Clock, Timer } from '../clock/clock.ts'
import { Queue } from '../collections/queue.ts'

export interface SlotCallbacks<T> {
  /** Starts the waiter. Returns false if it no longer needs a slot. */
  start(waiter: T): boolean
  /** Called after the maximum wait. The waiter may have been cancelled meanwhile. */
  expire(waiter: T, waitedMs: number): void
}

/** The waiters of one client, and how many of its calls hold a slot. Belongs to one `Slots`. */
export class SlotGroup {
  running = 0
  readonly waiting: Queue<{ readonly waiter: unknown; readonly expiresAt: number }> = new Queue()
}

/**
 * Runs at most `limit` calls at a time; the others wait in order. Groups share the slots fairly: a group always gets its
 * share, even if others have to exceed the limit for it, because their calls may hang for a long time.
 */
export class Slots<T> {
  readonly #clock: Clock
  readonly #limit: number
  readonly #maxWaitMs: number | undefined
  readonly #callbacks: SlotCallbacks<T>
  /** The groups with waiters, in the order in which they are served. */
  #queued: SlotGroup[] = []
  /** The number of groups with running calls or waiters. */
  #active = 0
  #used = 0
  #timer: Timer | null = null
  #timerAt = Number.POSITIVE_INFINITY

  constructor(clock: Clock, limit: number, maxWaitMs: number | undefined, callbacks: SlotCallbacks<T>) {
    this.#clock = clock
    this.#limit = limit
    this.#maxWaitMs = maxWaitMs
    this.#callbacks = callbacks
  }

  /** Starts the waiter, now or when a slot is free. */
  request(waiter: T, group: SlotGroup): void {
    if (isIdle(group)) this.#active++
    if (group.waiting.size === 0 && this.#hasRoom(group)) return this.#start(waiter, group)
    const expiresAt =
      this.#maxWaitMs === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() + this.#maxWaitMs
    if (group.waiting.size === 0) this.#queued.push(group)
    group.waiting.push({ waiter, expiresAt })
    if (expiresAt < this.#timerAt) this.#armTimer(expiresAt)
  }

  release(group: SlotGroup): void {
    this.#used--
    group.running--
    if (isIdle(group)) this.#active--
    if (this.#queued.length === 0) return
    for (let next = this.#next(); next !== null; next = this.#next()) {
      this.#start(next.waiting.shift()!.waiter as T, next)
    }
    if (this.#queued.length === 0) this.#clearTimer()
  }

  #hasRoom(group: SlotGroup): boolean {
    return (
      this.#used < this.#limit ||
      group.running < Math.max(1, Math.floor(this.#limit / Math.max(1, this.#active)))
    )
  }

  /** The group with the fewest running calls, or `null` if there is no room for it. The groups take turns. */
  #next(): SlotGroup | null {
    let best = this.#queued[0]
    if (best === undefined) return null
    if (this.#queued.length > 1)
      for (const group of this.#queued) if (group.running < best.running) best = group
    if (!this.#hasRoom(best)) return null
    if (this.#queued.length > 1 || best.waiting.size === 1) {
      this.#queued = this.#queued.filter((group) => group !== best)
      if (best.waiting.size > 1) this.#queued.push(best)
    }
    return best
  }

  #start(waiter: T, group: SlotGroup): void {
    this.#used++
    group.running++
    if (this.#callbacks.start(waiter)) return
    this.#used--
    group.running--
    if (isIdle(group)) this.#active--
  }

  /** One timer for all groups, at the earliest expiry. */
  #armTimer(at: number): void {
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
    for (const { waiter, expiresAt } of this.#queued.flatMap(({ waiting }) => [...waiting])) {
      // A system timer may fire a millisecond early.
      if (expiresAt <= now + 1) this.#callbacks.expire(waiter as T, this.#maxWaitMs!)
      else next = Math.min(next, expiresAt)
    }
    if (next < this.#timerAt) this.#armTimer(next)
  }
}

function isIdle(group: SlotGroup): boolean {
  return group.running === 0 && group.waiting.size === 0
}
