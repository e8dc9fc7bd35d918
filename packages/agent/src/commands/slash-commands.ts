import { messageOf } from '@curfew/core/internal'
import { builtInCommands } from './built-in-commands.ts'
import { type CommandHost, serverTest } from './command-host.ts'
import { type Candidate, completeCommand } from './complete-command.ts'
import { mcpPromptCommands } from './mcp-prompts.ts'
import { parseCommandArguments } from './parse-command-arguments.ts'
import { parseInput, type TypedCommand, type TypedInput, type TypedShellCommand } from './parse-input.ts'
import { runTypedShell } from './run-typed-call.ts'
import type { CommandResult, SlashCommand } from './slash-command.ts'
import { findCommand, unknownCommand } from './slash-help.ts'

export interface SlashCommands {
  /** The commands that exist now: built in, the user's own, and the prompts of MCP servers. */
  list(): readonly SlashCommand[]
  /** Decides whether a person typed a prompt, a command or a shell command. */
  parse(text: string): TypedInput
  /** Runs a command. Never rejects: a mistake is a result of the type `error`. */
  run(
    input: TypedCommand | TypedShellCommand,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<CommandResult>
  /** What the word at the cursor can become. */
  completeInput(text: string, cursor?: number): readonly Candidate[]
}

/** `userCommands` come from `loadUserCommands`. */
export function createCommands(host: CommandHost, userCommands: readonly SlashCommand[] = []): SlashCommands {
  const own = [...builtInCommands, ...userCommands]

  // Prompts change while servers start and stop.
  const list = (): readonly SlashCommand[] => [
    ...own.filter((command) => command.isAvailable(host)),
    ...mcpPromptCommands(host.mcp),
  ]

  async function run(input: TypedCommand | TypedShellCommand, signal: AbortSignal): Promise<CommandResult> {
    if (input.type === 'shell') return await runTypedShell(host, input.command, signal)
    const command = findCommand(list(), input.name)
    if (command === undefined) {
      const unavailable = findCommand(own, input.name)
      const message =
        unavailable === undefined
          ? unknownCommand(input.name, list())
          : `/${unavailable.name} is not available in this program`
      return { type: 'error', message }
    }
    return await command.run({ host, signal, commands: list }, parseCommandArguments(command, input.args))
  }

  return {
    list,
    parse: (text) => parseInput(text, serverTest(host.mcp)),
    async run(input, { signal = new AbortController().signal } = {}) {
      try {
        return await run(input, signal)
      } catch (error) {
        return { type: 'error', message: host.runtime.redact(messageOf(error)) }
      }
    },
    completeInput: (text, cursor = text.length) => completeCommand(host, list(), text, cursor),
  }
}
