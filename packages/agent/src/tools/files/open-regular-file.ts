import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { CurfewError } from '@curfew/core'
import { MovedError, type PinnedFolder } from './pin-folder.ts'

export interface OpenFile {
  readonly handle: FileHandle
  readonly stats: BigIntStats
}

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants

/** Opens a file for reading without following a link. Opening a FIFO or a device would block, or do something. */
export async function openRegularFile(folder: PinnedFolder, name: string, shown: string): Promise<OpenFile> {
  rejectOthers(await lstat(folder.entry(name), { bigint: true }), shown)
  // It may have been replaced in the meantime.
  const handle = await open(folder.entry(name), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)
  try {
    const stats = await handle.stat({ bigint: true })
    rejectOthers(stats, shown)
    return { handle, stats }
  } catch (error) {
    await handle.close()
    throw error
  }
}

function rejectOthers(stats: BigIntStats, shown: string): void {
  if (stats.isFile()) return
  if (stats.isSymbolicLink()) throw new MovedError(`${shown} was replaced by a link in the meantime`)
  const hint = stats.isDirectory() ? '; list_directory lists its entries' : ''
  throw new CurfewError('TOOL_FAILED', `${shown} is ${kindOf(stats)}, not a file${hint}`, {
    hadNoEffect: true,
  })
}

/** With an article. */
export function kindOf(
  stats: Pick<BigIntStats, 'isDirectory' | 'isFIFO' | 'isSocket' | 'isSymbolicLink'>,
): string {
  if (stats.isDirectory()) return 'a folder'
  if (stats.isSymbolicLink()) return 'a link'
  if (stats.isFIFO()) return 'a FIFO'
  return stats.isSocket() ? 'a socket' : 'a device'
}
