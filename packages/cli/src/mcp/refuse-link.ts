import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { UsageError } from '../command.ts'

/** A project could put a link there that leads to somebody's settings. */
export function refuseLink(command: string, file: string): void {
  try {
    if (realpathSync(file) === join(realpathSync(dirname(file)), basename(file))) return
  } catch {
    // Not there yet.
    return
  }
  throw new UsageError(`curfew ${command}: ${file} is a link; nothing was written`)
}
