import { readFileSync } from 'node:fs'

/** Where the thread gets the time from. */
export interface WallClock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds on a clock that does not jump, and goes on while the machine sleeps. */
  uptime(): number
}

export const systemWallClock: WallClock = {
  now: () => Date.now(),
  uptime: () => bootTime() ?? performance.now(),
}

/** On Linux, the clock of `performance` stops while the machine sleeps. */
function bootTime(): number | null {
  if (process.platform !== 'linux') return null
  try {
    const seconds = Number.parseFloat(readFileSync('/proc/uptime', 'latin1'))
    return Number.isFinite(seconds) ? seconds * 1_000 : null
  } catch {
    return null
  }
}
