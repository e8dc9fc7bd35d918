import { isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

export interface TextFile {
  /** Invalid UTF-8 becomes replacement characters. */
  readonly text: string
  readonly isUtf8: boolean
  /** Of the whole file. */
  readonly bytes: number
  /** Only the beginning was read. */
  readonly isCut: boolean
}

/**
 * Reads the beginning of a regular file. Never waits, also if it is a named pipe. With `followLink: false`, the path itself must not be
 * a link.
 *
 * @throws Error with the reason, such as `is not a file`
 */
export function readTextFile(
  path: string,
  maxBytes: number,
  { followLink }: { readonly followLink: boolean },
): TextFile {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followLink ? 0 : constants.O_NOFOLLOW)
  const descriptor = openSync(path, flags)
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) throw new Error('is not a file')
    const buffer = Buffer.alloc(maxBytes + 1)
    let length = 0
    while (length < buffer.length) {
      const read = readSync(descriptor, buffer, length, buffer.length - length, null)
      if (read === 0) break
      length += read
    }
    const isCut = length > maxBytes
    const content = buffer.subarray(0, Math.min(length, maxBytes))
    // `stream` drops a character that was cut.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(content, { stream: isCut })
    return { text, isUtf8: isUtf8(content), bytes: Math.max(stat.size, length), isCut }
  } finally {
    closeSync(descriptor)
  }
}
