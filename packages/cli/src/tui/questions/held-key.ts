import type { Timer } from '@curfew/core/internal'
import type { PanelClock } from './key-guard.ts'

/** A key that is held down repeats after up to this long, depending on the keyboard's settings. */
const firstRepeatMs = 2_000
/** Then at least this often. */
const repeatMs = 150
/** A key that was repeating counts again after this long. */
const releasedMs = 400

/**
 * Recognizes a key that has been held down since before the current question, so that it does not answer two of them. A terminal
 * reports only presses: one that could be the first repetition counts if no other follows.
 */
export class HeldKey {
  readonly #clock: PanelClock
  #name = ''
  #at = Number.NEGATIVE_INFINITY
  #step: unknown
  #isRepeating = false
  #pending: Timer | null = null

  constructor(clock: PanelClock) {
    this.#clock = clock
  }

  /** Whether this key may have been held down since another step. */
  isFromBefore(name: string, step: unknown, withinMs: number = firstRepeatMs): boolean {
    return name === this.#name && step !== this.#step && this.#clock.now() - this.#at < withinMs
  }

  /** Calls `accept` at once, or after a moment, unless the key is being held down. */
  check(name: string, step: unknown, accept: () => void): void {
    const isSame = name === this.#name
    const elapsed = this.#clock.now() - this.#at
    const wasPending = this.#pending !== null
    this.cancel()
    if (isSame && (wasPending || (this.#isRepeating && elapsed < releasedMs))) {
      this.#isRepeating = true
      return
    }
    this.#isRepeating = false
    if (!this.isFromBefore(name, step)) return accept()
    this.#pending = this.#clock.setTimer(repeatMs, () => {
      this.#pending = null
      accept()
    })
  }

  /** Call it after every key, with the step that was current when it was pressed. `isIgnored`: it may still be held down since before that step. */
  keyPressed(name: string, step: unknown, isIgnored: boolean): void {
    const isSame = name === this.#name
    if (!isSame) {
      this.cancel()
      this.#isRepeating = false
    }
    if (!isSame || !isIgnored) this.#step = step
    this.#name = name
    this.#at = this.#clock.now()
  }

  /** Forgets a key that waits. */
  cancel(): void {
    if (this.#pending !== null) this.#clock.clearTimer(this.#pending)
    this.#pending = null
  }
}
