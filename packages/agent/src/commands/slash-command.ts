import type { CallResult, CallRow } from '@curfew/core'
import type { UserPart } from '../history/history-item.ts'
import type { CommandHost } from './command-host.ts'
import type { Mention } from './find-mentions.ts'

/** What a command returns. Data, so that a terminal, a program and a test show the same. */
export type CommandResult =
  | { readonly type: 'none' }
  | { readonly type: 'text'; readonly text: string }
  /** What the person typed cannot be done. */
  | { readonly type: 'error'; readonly message: string }
  | {
      readonly type: 'table'
      readonly columns: readonly string[]
      readonly rows: readonly (readonly string[])[]
      /** Shown below the table, or alone if there are no rows. */
      readonly note?: string
    }
  /** The person chooses one; `input` is what to type. */
  | { readonly type: 'choices'; readonly title: string; readonly choices: readonly Choice[] }
  | { readonly type: 'calls'; readonly rows: readonly CallRow[] }
  /** A call that the person typed has ended. */
  | { readonly type: 'call'; readonly result: CallResult }
  /** To be sent to the model, with the mentions resolved. */
  | { readonly type: 'prompt'; readonly parts: readonly UserPart[]; readonly mentions: readonly Mention[] }

export interface Choice {
  readonly input: string
  readonly description: string
}

/** A command is declared once. Parsing, errors, `/help` and completion are derived from it. */
export interface SlashCommand {
  /** Without the slash. */
  readonly name: string
  readonly aliases: readonly string[]
  /** A verb and its object, without a period. */
  readonly summary: string
  /** By name, in order. */
  readonly arguments: Readonly<Record<string, CommandArgument>>
  /** Not listed in `/help` and not completed. */
  readonly hidden: boolean
  /** Where it comes from. */
  readonly source: 'built-in' | 'user' | 'project' | 'mcp'
  /** Reported instead of an unexpected argument, where that may be a secret. */
  readonly unexpectedArgument: string | null
  /** Whether the host can do it. */
  isAvailable(host: CommandHost): boolean
  run(
    context: CommandContext,
    args: Readonly<Record<string, string | number | undefined>>,
  ): CommandResult | Promise<CommandResult>
}

export interface CommandContext {
  readonly host: CommandHost
  readonly signal: AbortSignal
  /** The commands that exist now. */
  readonly commands: () => readonly SlashCommand[]
}

export interface CommandArgument {
  /** `rest` takes everything that follows, unchanged. */
  readonly type: 'word' | 'integer' | 'rest'
  /** What it is, such as `a tool's name`. */
  readonly summary: string
  readonly optional?: true
  /** Replaces the name in the usage. */
  readonly placeholder?: string
  readonly choices?: readonly string[]
  /** Values to complete. Other values are valid, too. */
  readonly complete?: (
    host: CommandHost,
  ) => readonly { readonly value: string; readonly description: string }[]
}

type Value<A extends CommandArgument> = A extends { type: 'integer' }
  ? number
  : A extends { choices: readonly (infer C)[] }
    ? C
    : string
type Values<A extends Readonly<Record<string, CommandArgument>>> = {
  readonly [K in keyof A]: A[K] extends { optional: true } ? Value<A[K]> | undefined : Value<A[K]>
}

interface Definition<A extends Readonly<Record<string, CommandArgument>>>
  extends Partial<Omit<SlashCommand, 'name' | 'summary' | 'arguments' | 'run'>> {
  readonly name: string
  readonly summary: string
  readonly arguments?: A
  run(context: CommandContext, args: Values<A>): CommandResult | Promise<CommandResult>
}

/** Fills in the defaults, and types the arguments of `run` from their declarations. */
export function defineCommand<
  const A extends Readonly<Record<string, CommandArgument>> = Record<never, never>,
>(definition: Definition<A>): SlashCommand {
  return {
    aliases: [],
    hidden: false,
    source: 'built-in',
    unexpectedArgument: null,
    isAvailable: () => true,
    ...definition,
    arguments: definition.arguments ?? {},
    // The cast is safe, because `parseCommandArguments` returns the declared types.
    run: definition.run as SlashCommand['run'],
  }
}

/** `/cancel CALL`, with optional arguments in brackets. */
export function usageOf({ name, arguments: args }: Pick<SlashCommand, 'name' | 'arguments'>): string {
  const words = Object.entries(args).map(([key, { optional, choices, placeholder }]) => {
    if (placeholder !== undefined) return placeholder
    const word = choices?.join('|') ?? key.toUpperCase()
    return optional ? `[${word}]` : word
  })
  return [`/${name}`, ...words].join(' ')
}
