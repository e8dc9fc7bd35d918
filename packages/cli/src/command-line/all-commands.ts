import type { Command } from '../command.ts'

/** A command with its full name, as in `curfew mcp add`. */
export interface NamedCommand {
  readonly command: Command
  readonly path: string
}

/** The command and everything below it, depth first. */
export function allCommands(command: Command, path: string = command.name): readonly NamedCommand[] {
  const below = command.subcommands.flatMap((subcommand) =>
    allCommands(subcommand, `${path} ${subcommand.name}`),
  )
  return [{ command, path }, ...below]
}
