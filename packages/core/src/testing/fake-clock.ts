import type { Clock, Timer } from '../clock/clock.ts'

export interface FakeClock extends Clock {
  /** Advances the time, fires due timers in order, and waits for everything that follows from them. */
  advance(ms: number): Promise<void>
  /** Runs everything that is due without advancing the time. */
  settle(): Promise<void>
  /** Advances from timer to timer until the promise settles or no timer is left. */
  runUntil<T>(promise: Promise<T>): Promise<T>
  /** The number of pending timers and deferred callbacks; 0 after a clean end. */
  readonly pending: number
}

interface FakeTimer {
  readonly at: number
  readonly run: () => void
}

/** A clock that moves only when a test advances it, so that a three-minute timeout takes no time. */
export function createFakeClock(): FakeClock {
  let now = 0
  const timers = new Set<FakeTimer>()
  let deferred: (() => void)[] = []

  /** A real turn of the event loop drains the microtask queue, however long its chains are. */
  const microtasks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  async function settle(): Promise<void> {
    await microtasks()
    while (deferred.length > 0) {
      const due = deferred
      deferred = []
      for (const run of due) run()
      await microtasks()
    }
  }

  function earliest(): FakeTimer | null {
    let first: FakeTimer | null = null
    for (const timer of timers) {
      if (first === null || timer.at < first.at) first = timer
    }
    return first
  }

  function fire(timer: FakeTimer): void {
    timers.delete(timer)
    now = Math.max(now, timer.at)
    timer.run()
  }

  async function advance(ms: number): Promise<void> {
    const target = now + ms
    await settle()
    for (let next = earliest(); next !== null && next.at <= target; next = earliest()) {
      fire(next)
      await settle()
    }
    now = target
  }

  async function runUntil<T>(promise: Promise<T>): Promise<T> {
    let settled = false
    const watch = promise.then(
      () => {
        settled = true
      },
      () => {
        settled = true
      },
    )
    await settle()
    for (let next = earliest(); !settled && next !== null; next = earliest()) {
      fire(next)
      await settle()
    }
    if (!settled) throw new Error('no timer is left and the promise has not settled')
    await watch
    return promise
  }

  return {
    now: () => now,
    wallTime: () => now,
    setTimer(delayMs, run): Timer {
      const timer: FakeTimer = { at: now + Math.max(0, delayMs), run }
      timers.add(timer)
      return timer
    },
    clearTimer(timer) {
      timers.delete(timer as FakeTimer)
    },
    defer(run) {
      deferred.push(run)
    },
    advance,
    settle,
    runUntil,
    get pending() {
      return timers.size + deferred.length
    },
  }
}
