import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

/** Creates a stream that decodes a content encoding; `null` if the encoding is unknown. */
export function decompressorFor(encoding: string, firstByte: number): Transform | null {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    case 'deflate':
      // Some servers omit the zlib header.
      return (firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw()
    default:
      return null
  }
}
