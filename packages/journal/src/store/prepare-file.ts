import { constants } from 'node:fs'
import { chmod, lstat, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureFolder, isOwn, openOwnFile, tryFileLock } from '@curfew/core/internal'

const { O_RDWR, O_CREAT, O_EXCL } = constants
const lockMs = 10_000
const retryMs = 20

/** Creates the file if there is none, and makes sure that no other user can read it. SQLite does neither. */
export async function prepareFile(path: string): Promise<void> {
  const folder = dirname(path)
  try {
    await ensureFolder(folder)
    const found = await lstat(folder)
    if (!found.isDirectory() || !isOwn(found))
      throw new Error(`${folder}: expected a folder of this user, not a symbolic link; remove it`)
    if ((found.mode & 0o077) !== 0) await chmod(folder, found.mode & 0o700)
    if (!(await exists(path))) await create(path)
    await check(path)
  } catch (error) {
    throw explained(error, path)
  }
}

/**
 * What SQLite keeps beside a file must go if that file was deleted, before another one gets its name. Under a lock, because it may
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
      throw new Error(`another process holds ${path}.lock; if that file is not in use, delete it`)
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

/** Errors that a person can do something about. */
function explained(error: unknown, path: string): unknown {
  const { code, path: at = path } = error as NodeJS.ErrnoException
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new Error(`${at} is not writable (${code}); make it writable for this user`)
    case 'ELOOP':
    case 'EISDIR':
    case 'ENXIO':
      return new Error(`expected a regular file of this user at ${at}; move it away`)
    case 'ENOTDIR':
    case 'EEXIST':
      return new Error(`expected a folder at ${dirname(at)}; move it away`)
    default:
      return error
  }
}
