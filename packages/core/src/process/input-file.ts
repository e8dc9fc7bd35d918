import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureHeldDirectory } from './runtime-directory.ts'

let count = 0

/**
 * A text as a descriptor to read from, as a shell does with a here-document. A file, so that the command may read it
 * when and how it likes, also as /dev/stdin, and nobody waits for it; without a name, so that it goes when it is closed.
 */
export function openInput(text: string): number {
  const path = join(ensureHeldDirectory(), `input-${++count}`)
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(descriptor, text)
    return openSync(path, 'r')
  } finally {
    closeSync(descriptor)
    unlinkSync(path)
  }
}
