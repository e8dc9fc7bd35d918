import { constants, lstatSync, statSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Not `recursive`: in Node 24, that never ends if a parent is a link to nothing, such as a disk that is not mounted, or /proc. */
export async function ensureFolder(path: string, isRetry = false): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || isRetry) throw error
    await ensureFolder(dirname(path))
    await ensureFolder(path, true)
  }
}

export async function isOwnFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null)
  return found?.isDirectory() === true && isOwn(found)
}

/** Opens a regular file of this user. Never follows a symbolic link, and never waits for a FIFO. */
export async function openOwnFile(path: string, flags: number): Promise<FileHandle> {
  const handle = await open(path, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0), 0o600)
  try {
    const found = await handle.stat()
    if (found.isFile() && isOwn(found)) return handle
    throw new Error(`${path}: expected a regular file of this user`)
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Why what is at a path must not decide how Curfew works: it, or what it links to, belongs to another user, who may have put it into a
 * shared folder such as /tmp. `null` if it belongs to this user, to root, or to the user who called sudo, or if there is nothing.
 */
export function otherOwner(path: string): string | null {
  const isRoot = process.getuid?.() === 0
  for (const stat of [lstatSync, statSync]) {
    const found = stat(path, { throwIfNoEntry: false })
    if (found === undefined || isOwn(found) || found.uid === 0) continue
    if (isRoot && String(found.uid) === process.env.SUDO_UID) continue
    return `it belongs to another user (uid ${found.uid})`
  }
  return null
}

/** On Windows there is no uid, and each user has a separate state folder. */
export function isOwn(found: { readonly uid: number }): boolean {
  return process.getuid === undefined || found.uid === process.getuid()
}
