import { formatDuration } from '@curfew/core'
import type { Clock, Timer } from '@curfew/core/internal'

/** Limits how long a server may take to start or to return its lists. Paused while a person signs in. */
export class StartLimit {
  readonly #clock: Clock
  readonly #controller = new AbortController()
  readonly #totalMs: number
  readonly #setting: string
  #leftMs: number
  #since = 0
  #timer: Timer | null = null

  /** `setting` names where the limit comes from, for the error message. */
  constructor(clock: Clock, totalMs: number, setting: string) {
    this.#clock = clock
    this.#totalMs = totalMs
    this.#setting = setting
    this.#leftMs = totalMs
    this.resume()
  }

  /** Aborted when the time has elapsed, or by `abort`. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(reason: Error): void {
    this.end()
    this.#controller.abort(reason)
  }

  pause(): void {
    if (this.#timer === null) return
    this.#leftMs -= this.#clock.now() - this.#since
    this.end()
  }

  resume(): void {
    if (this.#timer !== null) return
    this.#since = this.#clock.now()
    this.#timer = this.#clock.setTimer(Math.max(0, this.#leftMs), () =>
      this.abort(new Error(`it did not respond within ${formatDuration(this.#totalMs)} (${this.#setting})`)),
    )
  }

  end(): void {
    if (this.#timer !== null) this.#clock.clearTimer(this.#timer)
    this.#timer = null
  }
}
