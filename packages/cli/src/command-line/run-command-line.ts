import { type Command, type Input, UsageError } from '../command.ts'
import { curfewCommand } from '../commands/curfew-command.ts'
import { watchErrors } from '../write.ts'
import { parseInput } from './parse-input.ts'

/** Finds the command that the arguments name, and runs it or prints its help. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const { command, path, rest } = findCommand(curfewCommand, args)
  if (command.runRaw !== null) return await command.runRaw(rest)
  const [first] = rest
  if (command.subcommands.length > 0 && first !== undefined && !first.startsWith('-'))
    throw await unknownSubcommand(command, path, first)
  const input = await parse(command, path, rest)
  if (input === 'help' || (command === curfewCommand && first === undefined)) {
    const { showHelp } = await import('./show-help.ts')
    return showHelp(command, path)
  }
  watchErrors()
  if (command.run !== null) return await command.run(input)
  const names = command.subcommands.map(({ name }) => name).join(', ')
  throw new UsageError(`${path}: expected a subcommand: ${names}. See ${path} --help`)
}

export interface FoundCommand {
  readonly command: Command
  /** Its full name, as in `curfew mcp add`. */
  readonly path: string
  /** The arguments after its name. */
  readonly rest: readonly string[]
}

/** Follows the names of subcommands as far as there are such. */
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

/** `unknown command "ad". Did you mean "add"?` */
export async function unknownSubcommand(command: Command, path: string, name: string): Promise<UsageError> {
  const { suggest } = await import('./suggest.ts')
  const known = command.subcommands.map((subcommand) => subcommand.name)
  const advice = Object.hasOwn(command.missingSubcommands, name)
    ? ` ${command.missingSubcommands[name]}`
    : suggest(name, known)
  return new UsageError(`${path}: unknown command ${JSON.stringify(name)}.${advice} See ${path} --help`)
}

async function parse(command: Command, path: string, args: readonly string[]): Promise<Input | 'help'> {
  try {
    return await parseInput(command, path, args)
  } catch (error) {
    const hint = error instanceof UsageError ? command.usageHint(args) : null
    throw hint === null ? error : new UsageError(`${(error as UsageError).message}. ${hint}`)
  }
}
