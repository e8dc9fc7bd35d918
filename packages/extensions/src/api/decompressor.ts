import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

/** What undoes a content encoding, given the first byte; `null` for one that is not known. */
export function decompressorFor(encoding: string, firstByte: number): Transform | null {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    case 'deflate':
      // Some servers leave the zlib header out.
      return (firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw()
    default:
      return null
  }
}
