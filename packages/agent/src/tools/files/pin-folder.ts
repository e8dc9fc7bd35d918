import { constants, existsSync } from 'node:fs'
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** An open folder. Links that are swapped into its path later cannot redirect what is done with its entries. */
export interface PinnedFolder {
  /** A path for functions of `node:fs`. */
  entry(name: string): string
  /** The same for a name that need not be UTF-8. */
  entryBytes(name: Buffer): Buffer
  /** Opens a folder in it, unless it is a link. */
  folder(name: string | Buffer): Promise<PinnedFolder>
  /** Rejects if the folder is not at its path any more. */
  verify(): Promise<void>
  close(): Promise<void>
}

/** Rejected calls that found something else than what was checked before. */
export class MovedError extends Error {
  override readonly name = 'MovedError'
}

/**
 * Opens a folder by its real path. On Linux, its entries are accessed through the descriptor. Elsewhere, they are accessed by path, and
 * `verify` detects a folder that has been replaced; one that is replaced and restored in the same moment is not detected.
 */
export async function pinFolder(realPath: string): Promise<PinnedFolder> {
  const path = Buffer.from(realPath)
  return pin(path, path)
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
/** Needs no permission to read the folder. Node does not export it. */
export const O_PATH = 0o10000000
export const canUseDescriptors: boolean = process.platform === 'linux' && existsSync('/proc/self/fd')
const flags = O_DIRECTORY | O_NOFOLLOW | (canUseDescriptors ? O_PATH : O_RDONLY)

async function pin(openedPath: Buffer, realPath: Buffer): Promise<PinnedFolder> {
  const handle = await open(openedPath, flags)
  const isInPlace = canUseDescriptors ? isAt : isSameFolder
  const base = canUseDescriptors ? Buffer.from(`/proc/self/fd/${handle.fd}`) : realPath
  const pinned: PinnedFolder = {
    entry: (name) => join(base.toString(), name),
    entryBytes: (name) => below(base, name),
    folder(name) {
      const bytes = Buffer.from(name as Buffer)
      return pin(below(base, bytes), below(realPath, bytes))
    },
    async verify() {
      if (!(await isInPlace(handle, realPath)))
        throw new MovedError(`${realPath} was moved or replaced by a link in the meantime`)
    },
    close: () => handle.close(),
  }
  try {
    await pinned.verify()
    return pinned
  } catch (error) {
    await pinned.close()
    throw error
  }
}

function below(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from(folder.at(-1) === slash ? '' : '/'), name])
}

const slash = 0x2f

async function isAt(handle: FileHandle, path: Buffer): Promise<boolean> {
  return (await readlink(`/proc/self/fd/${handle.fd}`, { encoding: 'buffer' })).equals(path)
}

async function isSameFolder(handle: FileHandle, path: Buffer): Promise<boolean> {
  if (!(await realpath(path, { encoding: 'buffer' })).equals(path)) return false
  const [opened, found] = await Promise.all([handle.stat({ bigint: true }), stat(path, { bigint: true })])
  return opened.ino === found.ino && opened.dev === found.dev
}
