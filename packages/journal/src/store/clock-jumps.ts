import type { WallClock } from './wall-clock.ts'

/** Small corrections are normal, and change nothing. */
const minJumpMs = 600_000
const trustAfterMs = 86_400_000

/** Notices that somebody has set the clock of the machine while this process is running. */
export class ClockJumps {
  readonly #clock: WallClock
  /** What the clock showed when the machine started, as of the last check; `null` if it has never been known. */
  #offset: number | null = null
  #jumpedAt: number | null = null

  constructor(clock: WallClock) {
    this.#clock = clock
    this.check()
  }

  /** By how much it was set since the last check, in milliseconds; 0 if it was not, or if that is unknown. */
  check(): number {
    const uptime = this.#clock.uptime()
    if (uptime === null) return 0
    const offset = this.#clock.now() - uptime
    const jump = offset - (this.#offset ?? offset)
    this.#offset = offset
    if (Math.abs(jump) < minJumpMs) return 0
    this.#jumpedAt = uptime
    return jump
  }

  /** False for a day after a jump. */
  get isTrusted(): boolean {
    return this.#jumpedAt === null || (this.#clock.uptime() ?? 0) - this.#jumpedAt > trustAfterMs
  }
}
