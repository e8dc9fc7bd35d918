import type { Key } from 'ink'
import type { PanelClock } from './key-guard.ts'

/** After a secret was being typed, keys are dropped until none was pressed for this long. */
const discardMs = 1_500
/** A second Escape within this time belongs to the first one. */
const doubleEscapeMs = 700

/** Keys that still belong to something that has just been closed, so that nobody else may get them. */
export class LateKeys {
  readonly #clock: PanelClock
  #discardsUntil = Number.NEGATIVE_INFINITY
  #escapedAt = Number.NEGATIVE_INFINITY

  constructor(clock: PanelClock) {
    this.#clock = clock
  }

  /** The question was closed by someone else while its secret was being typed: the rest must not appear in the draft. */
  discardSecret(): void {
    this.#discardsUntil = this.#clock.now() + discardMs
  }

  get discardsSecret(): boolean {
    return this.#clock.now() < this.#discardsUntil
  }

  /** Escape has closed or declined something. Pressed again at once, it must not also cancel the turn. */
  escaped(): void {
    this.#escapedAt = this.#clock.now()
  }

  /** Whether a key is to be dropped. */
  drops(key: Key): boolean {
    const now = this.#clock.now()
    if (this.discardsSecret) {
      // Enter or Escape ends a secret, like a pause.
      this.#discardsUntil = key.return || key.escape ? now : now + discardMs
      return true
    }
    return key.escape && now - this.#escapedAt < doubleEscapeMs
  }
}
