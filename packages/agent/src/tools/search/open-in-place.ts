import { closeSync, constants, openSync, readlinkSync } from 'node:fs'
import { canUseDescriptors, MovedError } from '../files/pin-folder.ts'
import { toFilePath } from './file-path.ts'

/**
 * Opens a path with one character per byte for reading. Throws if it is a link, or if a folder on the way has become one, which may lead out
 * of the workspace. Without /proc, only the first is noticed. A pipe does not block.
 */
export function openInPlace(path: string, flags = 0): number {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const descriptor = openSync(toFilePath(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | flags)
  if (!canUseDescriptors || readlinkSync(`/proc/self/fd/${descriptor}`, 'latin1') === path) return descriptor
  closeSync(descriptor)
  throw new MovedError(`${path} was moved or replaced by a link in the meantime`)
}
