import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ShadowRepository } from './shadow-repository.ts'

const minIntervalMs = 24 * 3_600_000

/**
 * Removes what no checkpoint needs any more, at most once a day: the rest is written to one file first, so that nothing is lost if the
 * process is killed. Only while the workspace is locked.
 */
export async function collectObjects(
  repository: ShadowRepository,
  checkpoints: readonly string[],
  signal: AbortSignal,
  now: number,
): Promise<void> {
  const marker = join(repository.folder, 'collected')
  const last = (await stat(marker).catch(() => null))?.mtimeMs ?? null
  if (last !== null && Math.abs(now - last) < minIntervalMs) return
  await writeFile(marker, '', { mode: 0o600 })
  // The first time, there is nothing to remove.
  if (last === null) return
  const packs = join(repository.gitFolder, 'objects', 'pack')
  const old = await readdir(packs)
  // The next snapshot relies on what the index refers to.
  const current = await repository.git({ args: ['write-tree'], signal })
  const trees = new Set([...checkpoints, current.toString().trim()])
  const output = await repository.git({
    args: ['pack-objects', '--revs', '-q', '--window=0', join(packs, 'pack')],
    input: Buffer.from([...trees].map((tree) => `${tree}\n`).join('')),
    signal,
  })
  const kept = `pack-${output.toString().trim()}.`
  for (const name of old) if (!name.startsWith(kept)) await rm(join(packs, name), { force: true })
  await repository.git({ args: ['prune-packed', '--quiet'], signal })
  await repository.git({ args: ['prune', '--expire=now', '--', ...trees], signal })
}
