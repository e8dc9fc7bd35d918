import { setTimeout as sleep } from 'node:timers/promises'
import { type FileLock, fileLockHolder, tryFileLock } from '@curfew/core/internal'

const maxWaitMs = 60_000
const retryMs = 20
/** For owners whose process cannot be checked, such as one on another machine. */
const abandonedMs = 600_000

/**
 * Runs a function while holding the lock of a file. Throws if the lock cannot be acquired within a minute.
 * A lock whose owner was killed is taken over immediately.
 */
export async function withLock<T>(
  path: string,
  run: () => Promise<T>,
  { waitMs = maxWaitMs }: { waitMs?: number } = {},
): Promise<T> {
  const lock = await acquire(path, waitMs)
  try {
    return await run()
  } finally {
    await lock.release()
  }
}

async function acquire(path: string, waitMs: number): Promise<FileLock> {
  for (const start = performance.now(); ; ) {
    const lock = await tryFileLock(path, abandonedMs)
    if (lock !== null) return lock
    if (performance.now() - start > waitMs) throw await lockTimeout(path, waitMs)
    await sleep(retryMs * (0.5 + Math.random()))
  }
}

async function lockTimeout(path: string, waitMs: number): Promise<Error> {
  const pid = await fileLockHolder(path)
  const holder = pid === null ? 'another process' : `process ${pid}`
  return new Error(
    `${path}.lock: ${holder} has held this lock for more than ${Math.round(waitMs / 1_000)} s; if it is not in use, delete the file`,
  )
}
