import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** The content of a regular file of at most this size; `null` if there is none. Never waits for a FIFO. */
export async function readSmallFile(path: string, maxBytes: number): Promise<Buffer | null> {
  try {
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const { size } = await handle.stat().then((found) => (found.isFile() ? found : { size: Infinity }))
      return size > maxBytes ? null : await handle.readFile()
    } finally {
      await handle.close()
    }
  } catch {
    return null
  }
}
