import type { Clock, Timer } from '@curfew/core/internal'

/** What a panel needs of a clock. */
export type PanelClock = Pick<Clock, 'now' | 'setTimer' | 'clearTimer'>

/** How long a question has to be visible, and then how long no key may have been pressed, before keys answer it. */
export interface GuardTimes {
  readonly visibleMs: number
  readonly quietMs: number
}

/** For a question that appears on its own: the person may be about to type something else. */
export const firstGuard: GuardTimes = { visibleMs: 500, quietMs: 400 }
/** For the question after one that was just answered: the key may be pressed twice. */
export const nextGuard: GuardTimes = { visibleMs: 300, quietMs: 300 }
/** After Tab, which may have been meant for the draft. */
export const tabGuard: GuardTimes = { visibleMs: 0, quietMs: 250 }

/** What a key does in the draft. */
export type KeyEffect = 'types' | 'sends' | 'none'

/** A person who pressed a key this recently is typing. */
const typingMs = 1_000

/** Keeps keys that were pressed before a person could read a question from answering it. Once open, it stays open until it is armed again. */
export class KeyGuard {
  readonly #clock: PanelClock
  readonly #onOpen: () => void
  #times: GuardTimes = firstGuard
  #visibleSince: number | null = null
  #lastKeyAt = Number.NEGATIVE_INFINITY
  #lastTypedAt = Number.NEGATIVE_INFINITY
  #isOpen = false
  #timer: Timer | null = null

  constructor(clock: PanelClock, onOpen: () => void) {
    this.#clock = clock
    this.#onOpen = onOpen
  }

  /** `isVisible`: what is guarded is on the screen already. */
  arm(times: GuardTimes, isVisible = false): void {
    this.#times = times
    this.#isOpen = false
    if (!isVisible) this.#visibleSince = null
    this.#schedule()
  }

  setVisible(isVisible: boolean): void {
    this.#visibleSince = isVisible ? this.#clock.now() : null
    this.#isOpen = false
    this.#schedule()
  }

  /** Call it with every key, also those for others. */
  keyPressed(effect: KeyEffect): void {
    this.#lastKeyAt = this.#clock.now()
    if (effect === 'types') this.#lastTypedAt = this.#lastKeyAt
    // Whoever sends a message has stopped typing, and may be asked about it at once.
    if (effect === 'sends') this.#lastTypedAt = Number.NEGATIVE_INFINITY
    if (!this.#isOpen) this.#schedule()
  }

  get isTyping(): boolean {
    return this.#clock.now() - this.#lastTypedAt < typingMs
  }

  get isVisible(): boolean {
    return this.#visibleSince !== null
  }

  isVisibleFor(ms: number): boolean {
    return this.#visibleSince !== null && this.#clock.now() - this.#visibleSince >= ms
  }

  /** Whether a key that is pressed now may answer. */
  get isOpen(): boolean {
    this.#isOpen ||= this.#remainingMs() <= 0
    return this.#isOpen
  }

  dispose(): void {
    if (this.#timer !== null) this.#clock.clearTimer(this.#timer)
    this.#timer = null
  }

  #remainingMs(): number {
    if (this.#visibleSince === null) return Number.POSITIVE_INFINITY
    const { visibleMs, quietMs } = this.#times
    return Math.max(this.#visibleSince + visibleMs, this.#lastKeyAt + quietMs) - this.#clock.now()
  }

  #schedule(): void {
    this.dispose()
    const remaining = this.#remainingMs()
    if (remaining === Number.POSITIVE_INFINITY) return
    this.#timer = this.#clock.setTimer(Math.max(0, remaining), () => {
      this.#timer = null
      // Timers may fire a moment early.
      if (this.isOpen) this.#onOpen()
      else this.#schedule()
    })
  }
}
