import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ensureFolder, isOwnFolder, openOwnFile } from '@curfew/core/internal'

/** The log of a project. Old files have the same name with `.1` (the newest), `.2` and so on. */
export function logPath(stateFolder: string, project: string): string {
  const hash = createHash('sha256').update(project).digest('hex').slice(0, 16)
  return join(stateFolder, 'log', hash, 'curfew.log')
}

/** Opens the file for appending. Creates it and its folders, accessible only to this user. */
export async function openLogFile(path: string): Promise<FileHandle> {
  const folder = dirname(path)
  for (const own of [dirname(folder), folder]) {
    await ensureFolder(own)
    if (!(await isOwnFolder(own)))
      throw new Error(`${own}: expected a folder of this user, not a symbolic link; remove it`)
    await chmod(own, 0o700)
  }
  const { O_WRONLY, O_APPEND, O_CREAT } = constants
  const handle = await openOwnFile(path, O_WRONLY | O_APPEND | O_CREAT).catch(
    (error: NodeJS.ErrnoException) => {
      // ELOOP: a symbolic link; ENXIO: a FIFO that nobody reads, or a socket.
      if (error.code !== 'ELOOP' && error.code !== 'ENXIO') throw error
      throw new Error(`${path}: expected a regular file of this user`)
    },
  )
  try {
    await handle.chmod(0o600)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}
