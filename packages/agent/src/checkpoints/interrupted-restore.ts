import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSmallFileIfAny } from '@curfew/core/internal'
import { absolute, nameOf } from './byte-path.ts'
import type { CheckpointList } from './checkpoint-list.ts'
import { compareTrees } from './compare-trees.ts'
import { temporaryPrefix } from './exclude-rules.ts'
import type { ShadowRepository } from './shadow-repository.ts'

const maxMarkerBytes = 4_096

/** Exists while files are being restored. */
interface Marker {
  readonly checkpoint: number
  readonly before: number
  readonly temporary: string
}

export async function markRestore(repository: ShadowRepository, marker: Marker): Promise<void> {
  await writeFile(markerPath(repository), JSON.stringify(marker), { mode: 0o600 })
}

export async function unmarkRestore(repository: ShadowRepository): Promise<void> {
  await rm(markerPath(repository), { force: true })
}

/** Removes the file that a process was writing when it was killed during a restore. Returns a message for the person; `null` if none was. */
export async function cleanUpRestore(
  repository: ShadowRepository,
  list: CheckpointList,
  signal: AbortSignal,
): Promise<string | null> {
  const text = readSmallFileIfAny(markerPath(repository), maxMarkerBytes)?.toString() ?? null
  if (text === null) return null
  await unmarkRestore(repository)
  const marker = parse(text)
  const [before, target] = await Promise.all([
    list.read(marker?.before ?? 0),
    list.read(marker?.checkpoint ?? 0),
  ])
  if (marker === null || before === null || target === null) return null
  const changes = await compareTrees(repository, before.tree, target.tree, signal)
  const folders = new Set(changes.map(({ path }) => path.slice(0, -nameOf(path).length)))
  for (const folder of folders)
    await rm(absolute(repository.root, folder + marker.temporary), { force: true }).catch(() => {})
  return describeInterruption(target.number, before.number)
}

export function describeInterruption(checkpoint: number, before: number): string {
  return `restoring checkpoint ${checkpoint} was interrupted: /restore ${checkpoint} repeats it, /restore ${before} returns to the state before it`
}

function parse(text: string): Marker | null {
  try {
    const { checkpoint, before, temporary } = JSON.parse(text) as Marker
    if (!Number.isSafeInteger(checkpoint) || !Number.isSafeInteger(before)) return null
    // It becomes part of a path.
    if (!temporary.startsWith(temporaryPrefix) || !/^[\w.-]+$/.test(temporary)) return null
    return { checkpoint, before, temporary }
  } catch {
    return null
  }
}

function markerPath({ folder }: ShadowRepository): string {
  return join(folder, 'restoring')
}
