import { createHash } from 'node:crypto'
import { join } from 'node:path'

/** The journals of all projects. */
export function journalFolder(stateFolder: string): string {
  return join(stateFolder, 'journal')
}

/** The journal of one project, named like its folder of sessions. */
export function journalPath(stateFolder: string, project: string): string {
  const hash = createHash('sha256').update(project).digest('hex').slice(0, 16)
  return join(journalFolder(stateFolder), `${hash}.db`)
}
