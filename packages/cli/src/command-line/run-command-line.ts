import type { Command, UsageError } from '../command.ts'
import { curfewCommand } from '../commands/curfew-command.ts'
import { watchErrors } from '../write.ts'
import { parseArguments } from './parse-arguments.ts'
import { usageError } from './usage-error.ts'

/** Finds the command that the arguments name, and runs it or prints its help. Returns the exit code. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const { command, path, rest } = findCommand(curfewCommand, args)
  if (command.runRaw !== null) return await command.runRaw(rest)
  const [first] = rest
  if (command.subcommands.length > 0 && first !== undefined && !first.startsWith('-'))
    throw await unknownSubcommand(command, path, first)
  const input = await parseArguments(command, path, rest)
  // On a terminal, `curfew` alone starts the agent.
  const isOverview = command === curfewCommand && first === undefined && !process.stdin.isTTY
  if (input === 'help' || isOverview) {
    const { showHelp, showOverview } = await import('./run-help.ts')
    return input === 'help' ? showHelp(command, path) : showOverview()
  }
  if (command.run === null) {
    const names = command.subcommands.map(({ name }) => name).join(', ')
    throw usageError(path, `expected a subcommand: ${names}`)
  }
  watchErrors()
  return await command.run(input)
}

interface FoundCommand {
  readonly command: Command
  /** Its full name, as in `curfew mcp add`. */
  readonly path: string
  /** The arguments after its name. */
  readonly rest: readonly string[]
}

/** Follows subcommand names as far as they exist. */
export function findCommand(root: Command, args: readonly string[]): FoundCommand {
  let command = root
  const path = [root.name]
  for (const name of args) {
    const next = command.subcommands.find((subcommand) => subcommand.name === name)
    if (next === undefined) break
    command = next
    path.push(name)
  }
  return { command, path: path.join(' '), rest: args.slice(path.length - 1) }
}

export async function unknownSubcommand(command: Command, path: string, name: string): Promise<UsageError> {
  const { suggest } = await import('./suggest.ts')
  const known = command.subcommands.map((subcommand) => subcommand.name)
  const { missingSubcommands } = command
  const advice = Object.hasOwn(missingSubcommands, name) ? missingSubcommands[name]! : suggest(name, known)
  const hint = command.usageHint([name]) ?? ''
  return usageError(path, `unknown command ${JSON.stringify(name)}`, advice, hint)
}
