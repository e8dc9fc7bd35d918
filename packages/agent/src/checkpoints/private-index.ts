import { copyFile, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { rulesPrefix } from './ignored-then.ts'

const prefix = 'index.'
/** Files that are about as old as the index may have changed since; git reads them again. Also covers clocks that differ slightly. */
const marginSeconds = 2
let count = 0

export interface PrivateIndex {
  readonly path: string
  /** Makes it the shared one. */
  keep(): Promise<void>
  discard(): Promise<void>
}

/**
 * A copy of the shared index for one snapshot. A process that was killed, or its git, may still be writing to its own copy, so nobody
 * else uses it. `isEmpty` starts without entries. Only while the workspace is locked.
 */
export async function openPrivateIndex(
  folder: string,
  shared: string,
  isEmpty: boolean,
): Promise<PrivateIndex> {
  const path = join(folder, `${prefix}${process.pid}-${++count}`)
  // What a process that was killed has left.
  for (const name of await readdir(folder))
    if (name.startsWith(prefix) || name.startsWith(rulesPrefix))
      await rm(join(folder, name), { recursive: true, force: true })
  if (!isEmpty) await copyWithTime(shared, path)
  return {
    path,
    keep: async () => {
      const written = await stat(path).catch(() => null)
      if (written === null) return
      await setTime(path, written.mtimeMs)
      await rename(path, shared)
    },
    discard: async () => {
      await rm(path, { force: true })
      await rm(`${path}.lock`, { force: true })
    },
  }
}

async function copyWithTime(from: string, to: string): Promise<void> {
  const found = await stat(from).catch(() => null)
  if (found === null) return
  await copyFile(from, to)
  await setTime(to, found.mtimeMs)
}

/** A copy is newer than the original, which git would take as proof that no file has changed since. */
async function setTime(path: string, mtimeMs: number): Promise<void> {
  const seconds = Math.floor(mtimeMs / 1_000) - marginSeconds
  await utimes(path, seconds, seconds)
}
