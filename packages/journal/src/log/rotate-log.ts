import { lstat, rename } from 'node:fs/promises'
import { tryFileLock } from '@curfew/core/internal'

/** After this time, the lock of a process on another machine is ignored. */
const abandonedMs = 60_000

/**
 * Renames the log to `.1`, and older files to the next number; the oldest is overwritten. `inode` is the file that was found to be too
 * large. Returns false if another process has rotated it, or is about to. Others notice the rename, because the path has another inode;
 * what they write until then goes to the renamed file.
 */
export async function rotateLog(path: string, inode: bigint, maxFiles: number): Promise<boolean> {
  const lock = await tryFileLock(path, abandonedMs)
  if (lock === null) return false
  try {
    const found = await lstat(path, { bigint: true }).catch(() => null)
    if (found?.ino !== inode) return false
    // A process that was killed here leaves a gap, so only the files before it have to move.
    for (let number = (await firstGap(path, maxFiles)) - 1; number >= 1; number--)
      await rename(`${path}.${number}`, `${path}.${number + 1}`)
    await rename(path, `${path}.1`)
    return true
  } finally {
    await lock.release()
  }
}

async function firstGap(path: string, maxFiles: number): Promise<number> {
  for (let number = 1; number < maxFiles; number++)
    if ((await lstat(`${path}.${number}`).catch(() => null)) === null) return number
  return maxFiles
}
