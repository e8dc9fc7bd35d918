import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { UsageError } from './command.ts'

/** Throws if the file is a symbolic link, which a project could point to the user's settings. */
export function rejectSymlink(command: string, file: string): void {
  try {
    if (realpathSync(file) === join(realpathSync(dirname(file)), basename(file))) return
  } catch {
    // The file does not exist yet.
    return
  }
  throw new UsageError(`curfew ${command}: ${file} is a symbolic link; nothing was written`)
}
