import { formatDuration } from '@curfew/core'
import type { Clock, Timer } from '@curfew/core/internal'

/** How long a server may take to start, or to list what it has. Stands still while a person signs in. */
export class StartLimit {
  readonly #clock: Clock
  readonly #controller = new AbortController()
  readonly #totalMs: number
  readonly #setting: string
  #leftMs: number
  #since = 0
  #timer: Timer | null = null

  /** `setting` says where the limit comes from. */
  constructor(clock: Clock, totalMs: number, setting = 'startTimeout') {
    this.#clock = clock
    this.#totalMs = totalMs
    this.#setting = setting
    this.#leftMs = totalMs
    this.#run()
  }

  /** Aborted when the time is over, or there is no point in going on. */
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
    if (this.#timer === null) this.#run()
  }

  end(): void {
    if (this.#timer !== null) this.#clock.clearTimer(this.#timer)
    this.#timer = null
  }

  #run(): void {
    this.#since = this.#clock.now()
    this.#timer = this.#clock.setTimer(Math.max(0, this.#leftMs), () =>
      this.abort(new Error(`it did not answer within ${formatDuration(this.#totalMs)} (${this.#setting})`)),
    )
  }
}
