import { mkdir, rmdir } from 'node:fs/promises'
import { type PinnedFolder, pinFolder } from '../tools/files/pin-folder.ts'
import { type BytePath, nameOf, parentsOf, toBytes } from './byte-path.ts'

/** The folders from the root to the file that is being restored. They stay open, so none can be replaced by a link meanwhile. */
export class OpenFolders {
  readonly #root: string
  /** The first one is the root, whose path is empty. */
  readonly #open: { readonly path: BytePath; readonly folder: PinnedFolder }[] = []

  constructor(root: string) {
    this.#root = root
  }

  /** Opens the folder of a file. `null` if there is none and it is not created. Throws if a file or a link is in its place. */
  async open(file: BytePath, create: boolean): Promise<PinnedFolder | null> {
    const paths = ['', ...parentsOf(file)]
    const different = paths.findIndex((path, index) => this.#open[index]?.path !== path)
    await this.#closeFrom(different < 0 ? paths.length : different)
    try {
      for (const path of paths.slice(this.#open.length)) {
        const name = toBytes(nameOf(path))
        const parent = this.#open.at(-1)?.folder
        const folder = await (parent === undefined ? pinFolder(this.#root) : openIn(parent, name, create))
        if (folder === null) return null
        this.#open.push({ path, folder })
      }
      const { folder } = this.#open.at(-1)!
      await folder.verify()
      return folder
    } catch (error) {
      // One of them may have been moved.
      await this.close()
      throw error
    }
  }

  /** Removes the folder that was opened last, and those around it, as long as they are empty. */
  async removeEmpty(): Promise<void> {
    while (this.#open.length > 1) {
      const parent = this.#open.at(-2)!.folder
      const { path } = this.#open.at(-1)!
      const isRemoved = await rmdir(parent.entryBytes(toBytes(nameOf(path)))).then(
        () => true,
        () => false,
      )
      if (!isRemoved) return
      await this.#closeFrom(this.#open.length - 1)
    }
  }

  async close(): Promise<void> {
    await this.#closeFrom(0)
  }

  async #closeFrom(index: number): Promise<void> {
    for (const { folder } of this.#open.splice(index).reverse()) await folder.close()
  }
}

async function openIn(parent: PinnedFolder, name: Buffer, create: boolean): Promise<PinnedFolder | null> {
  try {
    return await parent.folder(name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    if (!create) return null
    await mkdir(parent.entryBytes(name))
    return await parent.folder(name)
  }
}
