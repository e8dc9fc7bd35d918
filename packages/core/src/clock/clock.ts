/** An armed timer; opaque to everything but its clock. */
export type Timer = object

/** All time and timers of the runtime go through this, so that tests can control them. */
export interface Clock {
  /** Monotonic time in milliseconds. */
  now(): number
  /** Milliseconds since 1970, for display. */
  wallTime(): number
  setTimer(delayMs: number, run: () => void): Timer
  clearTimer(timer: Timer): void
  /** Runs once in the next turn of the event loop. */
  defer(run: () => void): void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wallTime: () => Date.now(),
  setTimer: (delayMs, run) => setTimeout(run, delayMs),
  clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
  defer: (run) => {
    setImmediate(run)
  },
}
