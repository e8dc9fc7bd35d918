import type { Question } from '@curfew/core'
import type { Timer } from '@curfew/core/internal'
import type { PanelClock } from './key-guard.ts'

/** The remaining time is shown only when it becomes short. */
const shownMs = 60_000

/** When the open questions expire. */
export class QuestionExpiry {
  readonly #clock: PanelClock
  readonly #timeoutMs: number
  readonly #onTick: () => void
  readonly #seenAt = new Map<number, number>()
  #timer: Timer | null = null

  constructor(clock: PanelClock, timeoutMs: number, onTick: () => void) {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.#onTick = onTick
  }

  /** Questions count from when they are first seen. When those were asked that are open `atStart` is not known. */
  update(open: readonly Question[], atStart = false): void {
    const ids = new Set(open.map(({ id }) => id))
    for (const id of this.#seenAt.keys()) if (!ids.has(id)) this.#seenAt.delete(id)
    const now = atStart ? Number.NaN : this.#clock.now()
    for (const id of ids) if (!this.#seenAt.has(id)) this.#seenAt.set(id, now)
  }

  /** In the last minute; otherwise `null`. Calls `onTick` when it changes. */
  secondsLeft(id: number): number | null {
    this.dispose()
    const seenAt = this.#seenAt.get(id)
    const leftMs = (seenAt ?? Number.NaN) + this.#timeoutMs - this.#clock.now()
    if (Number.isNaN(leftMs)) return null
    const seconds = Math.max(0, Math.ceil(leftMs / 1_000))
    const nextMs = leftMs > shownMs ? leftMs - shownMs : leftMs - (seconds - 1) * 1_000
    if (seconds > 0) this.#timer = this.#clock.setTimer(nextMs, this.#onTick)
    return leftMs > shownMs ? null : seconds
  }

  dispose(): void {
    if (this.#timer !== null) this.#clock.clearTimer(this.#timer)
    this.#timer = null
  }
}
