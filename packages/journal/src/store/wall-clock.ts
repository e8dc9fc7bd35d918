import { uptime } from 'node:os'

/** Where the thread gets the time from. */
export interface WallClock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds on a clock that does not jump, and goes on while the machine sleeps. */
  uptime(): number
}

/** On Linux, the clock of `performance` stops while the machine sleeps. This one also works if no file can be opened. */
export const systemWallClock: WallClock = {
  now: () => Date.now(),
  uptime: () => (process.platform === 'linux' ? uptime() * 1_000 : performance.now()),
}
