import type { Clock, Timer } from '@curfew/core/internal'

/** `wait` is told when the time is over. However it ends, no timer is left. */
export async function withTimer<T>(
  clock: Clock,
  ms: number,
  wait: (over: Promise<void>) => Promise<T>,
): Promise<T> {
  let timer: Timer | undefined
  const over = new Promise<void>((resolve) => {
    timer = clock.setTimer(ms, resolve)
  })
  try {
    return await wait(over)
  } finally {
    clock.clearTimer(timer!)
  }
}
