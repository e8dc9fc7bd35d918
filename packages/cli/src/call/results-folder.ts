import { createHash } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { stateHome } from '../state-home.ts'

/**
 * Where long results of `curfew call` and of conversations are stored. The path is printed, so the files must outlive the command;
 * the runtime limits their number and size. Conversations have one folder per project: a model can read all of it.
 */
export function resultsFolder(project?: string): string {
  const folder = join(stateHome(), 'results')
  if (project === undefined) return folder
  return join(folder, createHash('sha256').update(project).digest('hex').slice(0, 16))
}

/** As long as the runtime keeps results. */
const maxAgeMs = 7 * 86_400_000

/** Removes the folders of projects in which nothing was stored for a week. */
export async function removeOldResults(): Promise<void> {
  for (const name of await readdir(resultsFolder())) {
    const folder = join(resultsFolder(), name)
    if (!/^[0-9a-f]{16}$/.test(name) || Date.now() - (await stat(folder)).mtimeMs < maxAgeMs) continue
    await rm(folder, { recursive: true, force: true })
  }
}
