import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describeValue, fieldError, isOwnFolder } from '@curfew/core/internal'
import { idOfFile, projectFolder, sessionsFolder } from './session-folder.ts'
import { isSessionId } from './session-id.ts'

export interface FoundSession {
  readonly id: string
  readonly path: string
}

/** Finds a session by its id or the last part of it. Throws if there is none, or more than one. */
export async function findSession(stateFolder: string, id: string): Promise<FoundSession> {
  const all = await findSessions(stateFolder)
  const found = all.filter((session) => session.id === id || session.id.endsWith(`-${id}`))
  if (found.length === 1) return found[0]!
  const problem =
    found.length === 0
      ? `expected the id of a saved session, such as ${all[0]?.id ?? '20261116-193012-k3f'}, got ${describeValue(id)}`
      : `${describeValue(id)} is the end of several ids: ${found.map((session) => session.id).join(', ')}`
  throw fieldError('INVALID_OPTION', 'session', problem)
}

/** The session files of one project or all projects, in no order. Symbolic links are ignored. */
export async function findSessions(stateFolder: string, project?: string): Promise<FoundSession[]> {
  const entries = await entriesIn(stateFolder, project)
  return entries.flatMap((entry) => {
    const id = idOfFile(entry.name)
    if (id === null || !isSessionId(id) || !entry.isFile()) return []
    return [{ id, path: join(entry.parentPath, entry.name) }]
  })
}

/** The paths of session files that have a lock but do not exist. */
export async function findStrayLocks(stateFolder: string): Promise<string[]> {
  const entries = await entriesIn(stateFolder)
  const paths = new Set(entries.map(({ parentPath, name }) => join(parentPath, name)))
  return Array.from(paths, (path) => /^(.*\.jsonl)\.lock$/s.exec(path)?.[1]).filter(
    (path) => path !== undefined && !paths.has(path),
  ) as string[]
}

async function entriesIn(stateFolder: string, project?: string): Promise<Dirent[]> {
  const parent = sessionsFolder(stateFolder)
  if (!(await isOwnFolder(parent))) return []
  const names =
    project === undefined ? await readdir(parent) : [basename(projectFolder(stateFolder, project))]
  const lists = await Promise.all(
    names.map(async (name) => {
      const folder = join(parent, name)
      return (await isOwnFolder(folder)) ? await readdir(folder, { withFileTypes: true }) : []
    }),
  )
  return lists.flat()
}
