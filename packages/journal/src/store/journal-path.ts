import { createHash } from 'node:crypto'
import { join } from 'node:path'

/** The folder with one file per project. */
export function journalFolder(stateFolder: string): string {
  return join(stateFolder, 'journal')
}

/** The file of a project. */
export function journalPath(stateFolder: string, project: string): string {
  const name = createHash('sha256').update(project).digest('hex').slice(0, 16)
  return join(journalFolder(stateFolder), `${name}.db`)
}
