import { open, realpath, rename, rm } from 'node:fs/promises'

let count = 0

/** Replaces a file atomically, even if the power fails. A symbolic link is kept. By default, only the owner can read the file. */
export async function replaceFile(path: string, text: string, mode = 0o600): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const temporary = `${target}.${process.pid}-${++count}.new`
  try {
    const handle = await open(temporary, 'w', mode)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
