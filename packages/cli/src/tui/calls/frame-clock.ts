import { type Clock, Listeners, systemClock, type Timer } from '@curfew/core/internal'
import { spinnerFrames } from '../../terminal.ts'

/** What has changed is drawn at most this often. */
const frameMs = 150
/** How often spinners turn and times advance: less often if there are many rows, because each frame costs time. */
const tickMs = 150
const slowTickMs = 1_000
const maxFastTicks = 4

/**
 * When running calls are drawn: one timer for all of them. It runs while a call is watched or something has changed, and notifies
 * its listeners once per frame.
 */
export class FrameClock {
  readonly #clock: Clock
  readonly #tickMs: number | undefined
  readonly #listeners = new Listeners<void>((error) => void Promise.reject(error))
  #timer: Timer | null = null
  #dueAt = 0
  #lastFrame = Number.NEGATIVE_INFINITY
  #watched = 0
  #isRequested = false

  /** @param tickMs how often times advance; by default depending on the number of rows */
  constructor(clock: Clock = systemClock, tickMs?: number) {
    this.#clock = clock
    this.#tickMs = tickMs
  }

  /** In milliseconds since 1970. */
  get now(): number {
    return this.#clock.wallTime()
  }

  get spinner(): string {
    return spinnerFrames[Math.floor(this.now / this.#tick) % spinnerFrames.length]!
  }

  /** Calls the listener in every frame. Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void {
    return this.#listeners.add(() => listener())
  }

  /** A running call is shown: frames continue. Returns a function that ends this. */
  watch(): () => void {
    this.#watched++
    this.#schedule(this.#tick)
    let isWatched = true
    return () => {
      if (isWatched) this.#watched--
      isWatched = false
      if (this.#watched === 0 && !this.#isRequested) this.#cancel()
    }
  }

  /** Something has changed: there is a frame soon. */
  request(): void {
    this.#isRequested = true
    this.#schedule(Math.max(0, this.#lastFrame + frameMs - this.#clock.now()))
  }

  get #tick(): number {
    return this.#tickMs ?? (this.#watched > maxFastTicks ? slowTickMs : tickMs)
  }

  /** A frame that is due earlier stays. */
  #schedule(delayMs: number): void {
    const dueAt = this.#clock.now() + delayMs
    if (this.#timer !== null && this.#dueAt <= dueAt) return
    this.#cancel()
    this.#dueAt = dueAt
    this.#timer = this.#clock.setTimer(delayMs, () => this.#draw())
  }

  #cancel(): void {
    if (this.#timer !== null) this.#clock.clearTimer(this.#timer)
    this.#timer = null
  }

  #draw(): void {
    this.#timer = null
    this.#lastFrame = this.#clock.now()
    this.#isRequested = false
    this.#listeners.notify()
    if (this.#watched > 0) this.#schedule(this.#tick)
  }
}
