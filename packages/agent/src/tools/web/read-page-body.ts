import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

export interface Body {
  readonly bytes: Buffer
  /** There was more than the limit. */
  readonly isCut: boolean
}

/** Reads and decompresses a body up to a limit, which applies to the decompressed bytes: a small body may become gigabytes. */
export async function readPageBody(response: IncomingMessage, maxBytes: number): Promise<Body> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of decompressed(response) as AsyncIterable<Buffer>) {
    const room = maxBytes - size
    chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    size += chunk.length
    if (size > maxBytes) break
  }
  return { bytes: Buffer.concat(chunks), isCut: size > maxBytes }
}

function decompressed(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return response
  const decompressor = decompressorFor(encoding)
  if (decompressor === null)
    throw new Error(`expected the content encoding gzip, deflate or br, got ${JSON.stringify(encoding)}`)
  // Ends both, whichever fails; the error is thrown by the reader.
  return pipeline(response, decompressor, () => {})
}

function decompressorFor(encoding: string): Transform | null {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    default:
      return null
  }
}
