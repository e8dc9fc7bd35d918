import type { WallClock } from './wall-clock.ts'

/** Small corrections are normal, and change nothing. */
const minJumpMs = 600_000
const trustAfterMs = 86_400_000

/** Notices that somebody has set the clock of the machine while this process is running. */
export class ClockJumps {
  readonly #clock: WallClock
  /** What the clock showed when the machine started, as of the last check. */
  #offset: number
  #jumpedAt: number | null = null

  constructor(clock: WallClock) {
    this.#clock = clock
    this.#offset = clock.now() - clock.uptime()
  }

  /** By how much it was set since the last check, in milliseconds; 0 if it was not. */
  check(): number {
    const offset = this.#clock.now() - this.#clock.uptime()
    const jump = offset - this.#offset
    this.#offset = offset
    if (Math.abs(jump) < minJumpMs) return 0
    this.#jumpedAt = this.#clock.uptime()
    return jump
  }

  /** False for a day after a jump. */
  get isTrusted(): boolean {
    return this.#jumpedAt === null || this.#clock.uptime() - this.#jumpedAt > trustAfterMs
  }
}
