import { open, realpath, rename, rm } from 'node:fs/promises'

let count = 0

/**
 * Writes a file: all of it or nothing, also if the power fails. A link stays a link. Unless `mode` says otherwise, only
 * its owner can read it.
 */
export async function replaceFile(path: string, text: string, mode = 0o600): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const written = `${target}.${process.pid}-${++count}.new`
  try {
    const handle = await open(written, 'w', mode)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(written, target)
  } catch (error) {
    await rm(written, { force: true })
    throw error
  }
}
