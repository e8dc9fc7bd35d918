import { open, rename, rm, stat } from 'node:fs/promises'

let count = 0

/** Replaces a file atomically and keeps its permissions. A new file can only be read by its owner, unless `mode` is given. */
export async function replaceTextFile(path: string, text: string, mode: number): Promise<void> {
  const known = await stat(path).catch(() => null)
  const temporary = `${path}.${process.pid}-${++count}.new`
  try {
    await using handle = await open(temporary, 'wx', known === null ? mode : known.mode & 0o777)
    await handle.writeFile(text)
    await handle.sync()
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
