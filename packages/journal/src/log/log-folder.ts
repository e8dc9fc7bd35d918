import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, type FileHandle, lstat, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The log of a project. Old files have the same name with `.1` (the newest), `.2` and so on. */
export function logPath(stateFolder: string, project: string): string {
  const hash = createHash('sha256').update(project).digest('hex').slice(0, 16)
  return join(stateFolder, 'log', hash, 'curfew.log')
}

/** Opens the file for appending. Creates it and its folders, accessible only to this user. */
export async function openLogFile(path: string): Promise<FileHandle> {
  const folder = dirname(path)
  const parent = dirname(folder)
  await ensureFolder(dirname(parent))
  for (const own of [parent, folder]) {
    await ensureFolder(own)
    const found = await lstat(own)
    if (!found.isDirectory() || !isOwn(found))
      throw new Error(`${own}: expected a folder of this user, not a symbolic link; remove it`)
    if ((found.mode & 0o077) !== 0) await chmod(own, 0o700)
  }
  return await openOwn(path)
}

/** Not `recursive`: in Node 24, that never ends if a parent is a link to nothing. */
async function ensureFolder(path: string, isRetry = false): Promise<void> {
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

/** Never follows a symbolic link, and never waits for the reader of a FIFO. */
async function openOwn(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const handle = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600).catch(
    (error: NodeJS.ErrnoException) => {
      // ELOOP: a symbolic link; ENXIO: a FIFO that nobody reads, or a socket.
      if (error.code === 'ELOOP' || error.code === 'ENXIO') throw notOurFile(path)
      throw error
    },
  )
  try {
    const found = await handle.stat()
    if (!found.isFile() || !isOwn(found)) throw notOurFile(path)
    if ((found.mode & 0o077) !== 0) await handle.chmod(0o600)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

function notOurFile(path: string): Error {
  return new Error(`${path}: expected a regular file of this user; remove it`)
}

/** On Windows there is no uid, and each user has a separate state folder. */
function isOwn(found: { readonly uid: number }): boolean {
  return process.getuid === undefined || found.uid === process.getuid()
}
