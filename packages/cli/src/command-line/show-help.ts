import { dirname, join } from 'node:path'
import type { Command } from '../command.ts'
import { ownScript } from '../own-name.ts'
import { shortPath } from '../short-path.ts'
import { write } from '../write.ts'
import { renderHelp } from './render-help.ts'

/** Prints the help of a command. Returns the exit code. */
export function showHelp(command: Command, path: string): number {
  write(renderHelp(command, path, docsFolder()))
  return 0
}

/** The guides that are installed with this package, so that they match it. */
function docsFolder(): string {
  return shortPath(join(dirname(ownScript()), '..', 'docs'))
}
