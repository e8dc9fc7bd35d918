import { dirname, join } from 'node:path'
import type { Command } from '../command.ts'
import { curfewCommand } from '../commands/curfew-command.ts'
import { ownScript } from '../runner-command.ts'
import { shortPath } from '../short-path.ts'
import { write } from '../write.ts'
import { renderHelp, renderOverview } from './render-help.ts'
import { findCommand, unknownSubcommand } from './run-command-line.ts'

/** `curfew help mcp add`. Returns the exit code. */
export async function runHelp(names: readonly string[]): Promise<number> {
  const { command, path, rest } = findCommand(curfewCommand, names)
  const [unknown] = rest
  if (unknown === undefined) return showHelp(command, path)
  throw await unknownSubcommand(command, path, unknown)
}

/** Prints a command's help. Returns the exit code. */
export function showHelp(command: Command, path: string): number {
  write(renderHelp(command, path, docsFolder()))
  return 0
}

/** What `curfew` prints without arguments. Returns the exit code. */
export function showOverview(): number {
  write(renderOverview(curfewCommand))
  return 0
}

/** The guides that are installed with this package, so that they match it. */
function docsFolder(): string {
  return shortPath(join(dirname(ownScript()), '..', 'docs'))
}
