import { setTimeout as sleep } from 'node:timers/promises'
import { within } from './wire.ts'

const timeoutMs = 120_000

/** Retries while a server is still starting. */
export async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  const end = performance.now() + timeoutMs
  for (;;) {
    try {
      return await within(timeoutMs, attempt())
    } catch (error) {
      if (performance.now() > end) throw error
      await sleep(100)
    }
  }
}
