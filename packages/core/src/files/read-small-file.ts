import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { attempt } from '../errors/attempt.ts'
import { messageOf } from '../errors/message-of.ts'

const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)
const chunkBytes = 65_536

/**
 * Reads a configuration or state file; `null` if it does not exist. Throws if it is not a regular file, or larger than `maxBytes`: it never
 * waits for a FIFO, and never reads without end. Messages continue the file's name. Synchronous, because such files are small.
 */
export function readSmallFile(path: string | Buffer, maxBytes: number): Buffer | null {
  try {
    const descriptor = openSync(path, flags)
    try {
      return readBounded(descriptor, maxBytes)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    // A socket, or a device without a driver.
    if (code === 'ENXIO') throw new Error('is not a file')
    throw code === undefined ? error : new Error(`cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

/** The same; `null` if it cannot be read for any reason. */
export function readSmallFileIfAny(path: string | Buffer, maxBytes: number): Buffer | null {
  return attempt(() => readSmallFile(path, maxBytes), null)
}

/** Reads an open file. Throws as `readSmallFile` does. */
export function readBounded(descriptor: number, maxBytes: number): Buffer {
  const found = fstatSync(descriptor)
  if (!found.isFile()) throw new Error('is not a file')
  let length = found.size > maxBytes ? found.size : 0
  // Of the right size, because allocating memory takes longer than reading most files. The reported size may be wrong, and the file may grow.
  let buffer = Buffer.allocUnsafe(Math.min(found.size, maxBytes) + 1)
  while (length <= maxBytes) {
    const read = readSync(descriptor, buffer, length, buffer.length - length, null)
    if (read === 0) return buffer.subarray(0, length)
    length += read
    if (length === buffer.length)
      buffer = Buffer.concat([buffer], Math.min(2 * length + chunkBytes, maxBytes + 1))
  }
  throw new Error(`expected at most ${maxBytes} bytes, got ${length}`)
}
