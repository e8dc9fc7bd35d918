import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isOwnFolder, tryFileLock } from '@curfew/core/internal'
import { CheckpointList } from './checkpoint-list.ts'
import { checkpointsFolder } from './shadow-repository.ts'

const abandonedMs = 600_000

/** Removes the checkpoints of workspaces in which none was taken for 30 days. Those in use are kept. */
export async function removeOldCheckpoints({
  folder,
  maxAgeMs = 30 * 24 * 3_600_000,
  now = Date.now(),
}: {
  readonly folder: string
  readonly maxAgeMs?: number | undefined
  readonly now?: number | undefined
}): Promise<void> {
  const all = checkpointsFolder(folder)
  for (const name of await readdir(all).catch(() => [])) {
    const workspace = join(all, name)
    if (!/^[0-9a-f]{16}$/.test(name) || !(await isOwnFolder(workspace))) continue
    // Every checkpoint changes it.
    if (now - (await stat(workspace)).mtimeMs <= maxAgeMs) continue
    const lock = await tryFileLock(join(workspace, 'workspace'), abandonedMs)
    if (lock === null) continue
    try {
      const list = new CheckpointList(workspace)
      await list.removeOld({ maxCheckpoints: Number.POSITIVE_INFINITY, maxAgeMs }, now)
      if ((await list.numbers()).length === 0) await rm(workspace, { recursive: true, force: true })
    } finally {
      await lock.release()
    }
  }
}
