import { lstat, rm } from 'node:fs/promises'
import { type Clock, fieldError, isOwn, systemClock } from '@curfew/core/internal'
import { findSession, findSessions, findStrayLocks } from './find-session.ts'
import { lockSession } from './session-lock.ts'

export interface RemoveOptions {
  /** Where Curfew keeps its state. */
  readonly folder: string
  /** The id, or its last part if no other session has the same. */
  readonly id: string
}

/** Removes a saved session and returns its id. Throws if there is no such session, or it is in use. */
export async function removeSession({ folder, id }: RemoveOptions): Promise<string> {
  const found = await findSession(folder, id)
  if (!(await removeUnused(found.path))) {
    throw fieldError(
      'INVALID_OPTION',
      'session',
      `${found.id} is in use by another process; end that conversation first`,
    )
  }
  return found.id
}

export interface RetentionOptions {
  /** Where Curfew keeps its state. */
  readonly folder: string
  /** Since the session was last used. @default 30 days */
  readonly maxAgeMs?: number
  /** Of all projects together. @default 1_000 */
  readonly maxSessions?: number
  /** Of all files together. @default 1 GiB */
  readonly maxBytes?: number
  readonly clock?: Clock
}

/** Removes sessions beyond the limits, those that were not used for longest first, and returns their ids. Sessions in use are kept. */
export async function removeOldSessions({
  folder,
  maxAgeMs = 30 * 24 * 3_600_000,
  maxSessions = 1_000,
  maxBytes = 1 << 30,
  clock = systemClock,
}: RetentionOptions): Promise<string[]> {
  const removed: string[] = []
  let count = 0
  let bytes = 0
  for (const { id, path, size, usedAt } of await lastUsedFirst(folder)) {
    count++
    bytes += size
    const isOld = clock.wallTime() - usedAt > maxAgeMs
    if (!isOld && count <= maxSessions && bytes <= maxBytes) continue
    if (await removeUnused(path).catch(() => false)) removed.push(id)
  }
  await removeStrayLocks(folder)
  return removed
}

async function lastUsedFirst(folder: string) {
  const found = await findSessions(folder)
  const files = await Promise.all(
    found.map(async (session) => {
      const stat = await lstat(session.path).catch(() => null)
      if (stat === null || !stat.isFile() || !isOwn(stat)) return []
      return [{ ...session, size: stat.size, usedAt: stat.mtimeMs }]
    }),
  )
  return files.flat().sort((a, b) => b.usedAt - a.usedAt)
}

/** Returns false if it is in use. */
async function removeUnused(path: string): Promise<boolean> {
  const lock = await lockSession(path)
  if (lock === null) return false
  try {
    await rm(path, { force: true })
  } finally {
    await lock.release()
  }
  return true
}

/** Of processes that were killed before anything was saved. */
async function removeStrayLocks(folder: string): Promise<void> {
  for (const path of await findStrayLocks(folder)) await (await lockSession(path))?.release()
}
