import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tryFileLock } from '@curfew/core/internal'

const retryMs = 20
/** For owners whose process cannot be checked, such as one in a container. */
const abandonedMs = 600_000

/** Runs a function while no other process and no other call uses the checkpoints of a workspace. The signal ends the waiting. */
export async function withWorkspaceLock<T>(
  folder: string,
  signal: AbortSignal,
  run: () => Promise<T>,
): Promise<T> {
  for (;;) {
    signal.throwIfAborted()
    const lock = await tryFileLock(join(folder, 'workspace'), abandonedMs)
    if (lock !== null) {
      try {
        return await run()
      } finally {
        await lock.release()
      }
    }
    // An abort is thrown above, with its own reason.
    await sleep(retryMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
  }
}
