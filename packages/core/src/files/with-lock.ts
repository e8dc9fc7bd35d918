import { setTimeout as sleep } from 'node:timers/promises'
import { type FileLock, fileLockHolder, tryFileLock } from './file-lock.ts'

const maxWaitMs = 60_000
const retryMs = 20
/** For owners whose process cannot be checked, such as one on another machine. */
const abandonedMs = 600_000

export interface LockOptions {
  /** @default a minute */
  readonly waitMs?: number | undefined
  /** Ends the waiting with its reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs a function while holding the lock of a file. Throws if the lock cannot be acquired in time.
 * A lock whose owner was killed is taken over immediately.
 */
export async function withLock<T>(
  path: string,
  run: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const lock = await acquire(path, options)
  try {
    return await run()
  } finally {
    await lock.release()
  }
}

async function acquire(path: string, { waitMs = maxWaitMs, signal }: LockOptions): Promise<FileLock> {
  for (const start = performance.now(); ; ) {
    signal?.throwIfAborted()
    const lock = await tryFileLock(path, abandonedMs)
    if (lock !== null) return lock
    if (performance.now() - start > waitMs) throw await lockTimeout(path, waitMs)
    // An abort is thrown above, with its own reason.
    await sleep(retryMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
  }
}

async function lockTimeout(path: string, waitMs: number): Promise<Error> {
  const pid = await fileLockHolder(path)
  const holder = pid === null ? 'another process' : `process ${pid}`
  return new Error(
    `${path}.lock: ${holder} has held this lock for more than ${Math.round(waitMs / 1_000)} s; if it is not in use, delete the file`,
  )
}
