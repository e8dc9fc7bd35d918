import type { FileHandle } from 'node:fs/promises'
import type { ToolContext } from '@curfew/core'

/** Larger files are read without loading them, and cannot be edited. */
export const maxLoadedBytes = 10_000_000
/** Most files are small, and large buffers stay allocated until the next garbage collection. */
const minChunkBytes = 1 << 14
const maxChunkBytes = 1 << 18

/** Reads at most `maxBytes` from the start, whatever size the file claims to have. */
export async function readBytes(
  handle: FileHandle,
  maxBytes: number,
  signal?: ToolContext['signal'],
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of readChunks(handle, signal)) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}

/** Reads from the start to the end, in chunks that are not reused. */
export async function* readChunks(
  handle: FileHandle,
  signal?: ToolContext['signal'],
): AsyncGenerator<Buffer, void, undefined> {
  let buffer = Buffer.allocUnsafe(minChunkBytes)
  let used = 0
  for (let position = 0; ; ) {
    signal?.throwIfAborted()
    if (used === buffer.length) {
      buffer = Buffer.allocUnsafe(Math.min(maxChunkBytes, 2 * buffer.length))
      used = 0
    }
    const { bytesRead } = await handle.read(buffer, used, buffer.length - used, position)
    if (bytesRead === 0) return
    yield buffer.subarray(used, used + bytesRead)
    used += bytesRead
    position += bytesRead
  }
}
