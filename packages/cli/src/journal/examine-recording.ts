import { constants, type Stats } from 'node:fs'
import { access, lstat, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isOwn } from '@curfew/core/internal'
import type { Config } from '@curfew/extensions'
import { journalPath, openLog } from '@curfew/journal'
import { stateHome } from '../state-home.ts'

export interface RecordingFinding {
  readonly subject: 'journal' | 'log'
  readonly ok: boolean
  readonly detail: string
}

/** Where calls are recorded, how large the files are, and whether they can be written. Creates nothing. */
export async function examineRecording({ recording, roots }: Config): Promise<readonly RecordingFinding[]> {
  const project = roots.projectFolder
  const stateFolder = stateHome()
  const log = openLog({ stateFolder, project, program: 'doctor', warn: () => {} })
  return [
    await examineFile('journal', recording.journal.enabled, journalPath(stateFolder, project)),
    await examineFile('log', recording.log.enabled, log.path),
  ]
}

async function examineFile(
  subject: RecordingFinding['subject'],
  enabled: boolean,
  path: string,
): Promise<RecordingFinding> {
  if (!enabled) return { subject, ok: true, detail: `off (${subject}.enabled)` }
  const problem = await whyNotWritable(path)
  if (problem !== null) return { subject, ok: false, detail: `${path}: ${problem}` }
  const bytes = await sizeOf(path)
  return { subject, ok: true, detail: `${path} (${bytes === 0 ? 'nothing recorded yet' : showSize(bytes)})` }
}

async function whyNotWritable(path: string): Promise<string | null> {
  try {
    const found = await statOrNull(path)
    if (found !== null && !(found.isFile() && isOwn(found))) return 'expected a regular file of this user'
    // Otherwise it will be created in the first folder that exists.
    let existing = path
    while ((await statOrNull(existing)) === null) existing = dirname(existing)
    await access(existing, constants.W_OK)
    return null
  } catch (error) {
    return `cannot be written (${(error as NodeJS.ErrnoException).code})`
  }
}

async function statOrNull(path: string): Promise<Stats | null> {
  return await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

/** Including the files beside it: old logs, and what SQLite has not merged yet. */
async function sizeOf(path: string): Promise<number> {
  const names = await readdir(dirname(path)).catch(() => [])
  const files = names.filter((name) => name.startsWith(basename(path)))
  const sizes = await Promise.all(
    files.map(async (name) => (await lstat(join(dirname(path), name)).catch(() => null))?.size ?? 0),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

function showSize(bytes: number): string {
  return bytes < 1_048_576 ? `${Math.ceil(bytes / 1_024)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`
}
