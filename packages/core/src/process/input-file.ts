import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureCommandDirectory } from './runtime-directory.ts'

let count = 0

/**
 * Opens a string for reading, as a shell does with a here-document. A file, so that the command can read it at any
 * time, also as /dev/stdin; unlinked, so that it disappears when it is closed.
 */
export function openInput(text: string): number {
  const path = join(ensureCommandDirectory(), `input-${++count}`)
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(descriptor, text)
    return openSync(path, 'r')
  } finally {
    closeSync(descriptor)
    unlinkSync(path)
  }
}
