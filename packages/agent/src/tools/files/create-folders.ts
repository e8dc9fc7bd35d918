import { mkdir, rmdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { type PinnedFolder, pinFolder } from './pin-folder.ts'

export interface CreatedFolders {
  readonly folder: PinnedFolder
  /** Removes the folders that were created, if they are empty. */
  undo(): Promise<void>
  close(): Promise<void>
}

/** Opens a folder; it and those above it are created if they do not exist. */
export async function createFolders(realPath: string): Promise<CreatedFolders> {
  const missing: string[] = []
  let existing = realPath
  const pinned: PinnedFolder[] = []
  const created: (() => Promise<void>)[] = []
  const undo = async (): Promise<void> => {
    for (const remove of created.splice(0).reverse()) await remove().catch(() => {})
  }
  const close = async (): Promise<void> => {
    for (const one of pinned) await one.close()
  }
  for (;;) {
    try {
      pinned.push(await pinFolder(existing))
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existing === dirname(existing)) throw error
      missing.unshift(basename(existing))
      existing = dirname(existing)
    }
  }
  try {
    for (const name of missing) {
      const parent = pinned.at(-1)!
      if (await createFolder(parent, name)) created.push(() => rmdir(parent.entry(name)))
      pinned.push(await parent.folder(name))
    }
    return { folder: pinned.at(-1)!, undo, close }
  } catch (error) {
    await undo()
    await close()
    throw error
  }
}

/** Returns false if it exists. */
async function createFolder(parent: PinnedFolder, name: string): Promise<boolean> {
  try {
    await mkdir(parent.entry(name))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
