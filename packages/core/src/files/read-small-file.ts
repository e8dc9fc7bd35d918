import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)
const chunkBytes = 65_536

/**
 * Reads a configuration or state file. Throws if it is not a regular file, or larger than `maxBytes`: it never waits for a FIFO, and never
 * reads without end. Synchronous, because such files are small.
 */
export function readSmallFile(path: string, maxBytes: number): Buffer {
  const descriptor = openSync(path, flags)
  try {
    const found = fstatSync(descriptor)
    if (!found.isFile()) throw new Error('is not a file')
    const chunks: Buffer[] = []
    // What the file system reports may be wrong, and the file may grow.
    let length = found.size > maxBytes ? found.size : 0
    while (length <= maxBytes) {
      const chunk = Buffer.allocUnsafe(Math.max(chunkBytes, found.size + 1 - length))
      const read = readSync(descriptor, chunk, 0, chunk.length, null)
      if (read === 0) return Buffer.concat(chunks)
      chunks.push(chunk.subarray(0, read))
      length += read
    }
    throw new Error(`expected at most ${maxBytes} bytes, got ${length}`)
  } finally {
    closeSync(descriptor)
  }
}

/** The same; `null` if there is no such file, or for any other reason. */
export function readSmallFileIfAny(path: string, maxBytes: number): Buffer | null {
  try {
    return readSmallFile(path, maxBytes)
  } catch {
    return null
  }
}
