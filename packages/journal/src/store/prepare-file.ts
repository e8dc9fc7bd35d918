import { constants } from 'node:fs'
import { chmod, lstat, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureFolder, isOwnFolder, openOwnFile, tryFileLock } from '@curfew/core/internal'

const { O_RDWR, O_CREAT, O_EXCL } = constants
const lockMs = 10_000
const retryMs = 20

/** Creates the file if there is none, and makes sure that no other user can read it. SQLite itself checks neither. */
export async function prepareFile(path: string): Promise<void> {
  const folder = dirname(path)
  await ensureFolder(folder)
  if (!(await isOwnFolder(folder)))
    throw new Error(`${folder}: expected a folder of this user, not a symbolic link; remove it`)
  await chmod(folder, 0o700)
  if (!(await exists(path))) await create(path)
  await check(path)
}

/**
 * What SQLite keeps beside a file that was deleted must go before a new file gets the same name. Under a lock, because the files may
 * belong to a process that has created the new one by then.
 */
async function create(path: string): Promise<void> {
  const lock = await lockOf(path)
  try {
    if (await exists(path)) return
    for (const suffix of ['-wal', '-shm', '-journal']) await rm(path + suffix, { force: true })
    await (await openOwnFile(path, O_RDWR | O_CREAT | O_EXCL)).close()
  } finally {
    await lock.release()
  }
}

async function lockOf(path: string): Promise<{ release(): Promise<void> }> {
  for (const start = performance.now(); ; await sleep(retryMs)) {
    const lock = await tryFileLock(path, lockMs)
    if (lock !== null) return lock
    if (performance.now() - start > lockMs)
      throw new Error(`${path}.lock: another process holds this lock; if it is not in use, delete the file`)
  }
}

async function check(path: string): Promise<void> {
  const handle = await openOwnFile(path, O_RDWR)
  try {
    const { mode } = await handle.stat()
    if ((mode & 0o077) !== 0) await handle.chmod(0o600)
  } finally {
    await handle.close()
  }
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null
}
