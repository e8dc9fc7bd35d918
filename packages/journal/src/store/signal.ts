import { systemClock, withTimer } from '@curfew/core/internal'

/** A promise that is resolved from outside. */
export class Signal {
  raise!: () => void
  readonly raised: Promise<void> = new Promise((resolve) => {
    this.raise = resolve
  })
}

/** Waits, but not longer than this. */
export async function within(ms: number, done: Promise<unknown>): Promise<void> {
  await withTimer(systemClock, ms, (elapsed) => Promise.race([done, elapsed]))
}
