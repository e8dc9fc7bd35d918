/** An armed timer. Only the clock that made it knows what it is. */
export type Timer = object

/** Every timer of the runtime goes through one of these, so that tests can turn the hands themselves. */
export interface Clock {
  /** Milliseconds on a clock that never jumps. */
  now(): number
  /** Milliseconds since 1970, for what people read. */
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
