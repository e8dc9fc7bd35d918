import { systemClock, withTimer } from '@curfew/core/internal'

/** Waits, but not longer than this. */
export async function within(ms: number, done: Promise<unknown>): Promise<void> {
  await withTimer(systemClock, ms, (elapsed) => Promise.race([done, elapsed]))
}
