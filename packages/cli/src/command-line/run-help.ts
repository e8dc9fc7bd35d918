import { curfewCommand } from '../commands/curfew-command.ts'
import { findCommand, unknownSubcommand } from './run-command-line.ts'
import { showHelp } from './show-help.ts'
import { usageError } from './usage-error.ts'

/** `curfew help mcp add`. Returns the exit code. */
export async function runHelp(names: readonly string[]): Promise<number> {
  const { command, path, rest } = findCommand(curfewCommand, names)
  const [unknown] = rest
  if (unknown === undefined) return showHelp(command, path)
  if (command.subcommands.length > 0) throw await unknownSubcommand(command, path, unknown)
  throw usageError(path, `has no subcommand ${JSON.stringify(unknown)}`)
}
