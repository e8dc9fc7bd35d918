import type { Clock, Timer } from './clock.ts'

/** Runs `wait` with a promise that resolves after `ms`. The timer is cleared when `wait` settles. */
export async function withTimer<T>(
  clock: Clock,
  ms: number,
  wait: (elapsed: Promise<void>) => Promise<T>,
): Promise<T> {
  let timer: Timer | undefined
  const elapsed = new Promise<void>((resolve) => {
    timer = clock.setTimer(ms, resolve)
  })
  try {
    return await wait(elapsed)
  } finally {
    clock.clearTimer(timer!)
  }
}
