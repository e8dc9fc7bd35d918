import type { Clock, Timer } from '@curfew/core/internal'

/** Timers that are cleared together. */
export class TimerGroup {
  readonly #clock: Clock
  readonly #open = new Set<Timer>()
  #isOver = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  set(ms: number, run: () => void): void {
    if (this.#isOver) return
    const timer = this.#clock.setTimer(ms, () => {
      this.#open.delete(timer)
      run()
    })
    this.#open.add(timer)
  }

  end(): void {
    this.#isOver = true
    for (const timer of this.#open) this.#clock.clearTimer(timer)
  }
}
