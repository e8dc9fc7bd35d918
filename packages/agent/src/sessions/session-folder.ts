import { createHash } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureFolder, isOwnFolder } from '@curfew/core/internal'

const extension = '.jsonl'

/** All sessions, in one folder per project. */
export function sessionsFolder(stateFolder: string): string {
  return join(stateFolder, 'sessions')
}

export function projectFolder(stateFolder: string, project: string): string {
  const hash = createHash('sha256').update(project).digest('hex').slice(0, 16)
  return join(sessionsFolder(stateFolder), hash)
}

export function sessionPath(folder: string, id: string): string {
  return join(folder, id + extension)
}

/** The id in a file name; the caller checks it. */
export function idOfFile(name: string): string | null {
  return name.endsWith(extension) ? name.slice(0, -extension.length) : null
}

/** Creates the folder of a project, accessible only to us. */
export async function ensureProjectFolder(stateFolder: string, project: string): Promise<string> {
  await ensureFolder(stateFolder)
  const folder = projectFolder(stateFolder, project)
  for (const path of [sessionsFolder(stateFolder), folder]) {
    await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    if (!(await isOwnFolder(path)))
      throw new Error(`${path}: expected a folder of this user, not a symbolic link; remove it`)
    await chmod(path, 0o700)
  }
  return folder
}
