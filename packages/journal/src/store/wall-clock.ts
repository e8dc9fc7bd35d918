import { readFileSync } from 'node:fs'

/** Where the thread gets the time from. */
export interface WallClock {
  /** Milliseconds since 1970. */
  now(): number
  /**
   * Milliseconds on a clock that does not jump, and goes on while the machine sleeps. `null` if it cannot be read now, for
   * example because this process has too many open files: another clock would show another time.
   */
  uptime(): number | null
}

/** On Linux, the clock of `performance` stops while the machine sleeps. */
const uptime: WallClock['uptime'] = bootTime() === null ? () => performance.now() : bootTime

export const systemWallClock: WallClock = { now: () => Date.now(), uptime }

function bootTime(): number | null {
  try {
    const seconds = Number.parseFloat(readFileSync('/proc/uptime', 'latin1'))
    return Number.isFinite(seconds) ? seconds * 1_000 : null
  } catch {
    return null
  }
}
