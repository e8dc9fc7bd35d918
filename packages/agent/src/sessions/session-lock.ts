import { setTimeout as sleep } from 'node:timers/promises'
import { type FileLock, tryFileLock } from '@curfew/core/internal'

/**
 * A lock whose owner cannot be checked counts as held for this long: it may belong to a conversation in a container or on another
 * machine, and resuming a copy does no harm.
 */
const abandonedMs = 7 * 24 * 3_600_000
/** The first attempt only removes the lock of a dead process; others may be doing the same. */
const attempts = 5

/** `null` if another process is using the session. */
export async function lockSession(path: string): Promise<FileLock | null> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const lock = await tryFileLock(path, abandonedMs)
    if (lock !== null) return lock
    await sleep(attempt)
  }
  return null
}
