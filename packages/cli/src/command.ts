/**
 * A command is declared once, without loading its implementation. Parsing, usage errors, `--help`, shell completions, the man
 * page and docs/cli.md are derived from the declaration.
 */
export interface Command {
  readonly name: string
  /** A verb and its object, without a period: `List tools with their effective timeouts`. */
  readonly summary: string
  /** Paragraphs below the summary. */
  readonly description: readonly string[]
  /** Replaces the generated usage lines; each follows the command's full name. */
  readonly usage: readonly string[] | null
  /** By name, in the order of the command line. */
  readonly arguments: Readonly<Record<string, Argument>>
  readonly options: Readonly<Record<string, Option>>
  /** What each command line does. */
  readonly examples: Readonly<Record<string, string>>
  /** Paragraphs below the options. */
  readonly notes: readonly string[]
  /** Those that differ from the standard 0, 1 and 2 in docs/cli.md. */
  readonly exitCodes: Readonly<Record<number, string>>
  /** Full names of commands. */
  readonly seeAlso: readonly string[]
  /** A file in docs/. */
  readonly guide: string | null
  readonly subcommands: readonly Command[]
  /** Advice for subcommands that do not exist but that people try. */
  readonly missingSubcommands: Readonly<Record<string, string>>
  /** Reported instead of the argument, where that may be a secret. */
  readonly unexpectedArgument: string | null
  /** Advice to add to a usage error. */
  usageHint(args: readonly string[]): string | null
  /** Returns the exit code. `null` if only the subcommands can be run. */
  readonly run: ((input: Input) => Promise<number>) | null
  /** Set if the command parses its arguments itself; its declaration is then only documentation. */
  readonly runRaw: ((args: readonly string[]) => Promise<number>) | null
}

/** The values of the arguments and options, by their names. */
export type Input = Readonly<Record<string, unknown>>

export interface Argument {
  readonly placeholder: string
  readonly summary: string
  readonly optional?: true
  /** Takes all remaining arguments. */
  readonly multiple?: true
  /** Takes the arguments after `--`. */
  readonly afterDashes?: true
  readonly choices?: readonly string[]
  readonly completes?: Completion
}

/** The kind of value that shells complete. */
export type Completion = 'file' | 'folder' | 'command'

export type Option = Flag | ValueOption

interface BaseOption {
  readonly summary: string
  /** One letter. */
  readonly short?: string
  /** Names of options without which this one makes no sense. */
  readonly requires?: readonly string[]
  /** Names of options that cannot be combined with this one. */
  readonly conflicts?: readonly string[]
}

interface Flag extends BaseOption {
  readonly type: 'boolean'
}

interface ValueOption extends BaseOption {
  /** A duration is parsed to milliseconds; a bare number on the command line is seconds. */
  readonly type: 'string' | 'choice' | 'integer' | 'duration'
  readonly placeholder: string
  readonly multiple?: true
  /** The value may be omitted; it is then an empty string. For `string`. */
  readonly optionalValue?: true
  readonly default?: string | number
  /** For `choice`. */
  readonly choices?: readonly string[]
  /** For `integer`. */
  readonly min?: number
  readonly max?: number
  readonly completes?: Completion
}

type Arguments = Readonly<Record<string, Argument>>
type Options = Readonly<Record<string, Option>>

type Choice<T> = T extends { choices: readonly (infer C)[] } ? C : string
type ArgumentValue<T extends Argument> = T extends { multiple: true }
  ? readonly Choice<T>[]
  : T extends { optional: true }
    ? Choice<T> | undefined
    : Choice<T>
type SingleValue<T extends Option> = T extends { type: 'integer' | 'duration' } ? number : Choice<T>
type OptionValue<T extends Option> = T extends { type: 'boolean' }
  ? boolean
  : T extends { multiple: true }
    ? readonly SingleValue<T>[]
    : T extends { default: string | number }
      ? SingleValue<T>
      : SingleValue<T> | undefined

type TypedInput<A extends Arguments, O extends Options> = {
  readonly [K in keyof A]: ArgumentValue<A[K]>
} & OptionValues<O>

/** The values of the options, by their names. */
export type OptionValues<O extends Options> = { readonly [K in keyof O]: OptionValue<O[K]> }

type Defaulted = Omit<Command, 'name' | 'summary' | 'arguments' | 'options' | 'run'>

/** The input of `defineCommand`: everything except the name and the summary has a default. */
interface Definition<A extends Arguments, O extends Options> extends Partial<Defaulted> {
  readonly name: string
  readonly summary: string
  readonly arguments?: A
  readonly options?: O
  /** Loads the implementation: `async (input) => (await import('./run-tools.ts')).runTools(input)`. */
  readonly run?: (input: TypedInput<A, O>) => Promise<number>
}

const defaults: Defaulted = {
  description: [],
  usage: null,
  examples: {},
  notes: [],
  exitCodes: {},
  seeAlso: [],
  guide: null,
  subcommands: [],
  missingSubcommands: {},
  unexpectedArgument: null,
  usageHint: () => null,
  runRaw: null,
}

/** Fills in the defaults, and types the input of `run` from the declared arguments and options. */
export function defineCommand<
  const A extends Arguments = Record<never, never>,
  const O extends Options = Record<never, never>,
>(definition: Definition<A, O>): Command {
  const { run, arguments: args = {}, options = {} } = definition
  // The cast is safe, because the parser produces the declared types.
  return { ...defaults, ...definition, arguments: args, options, run: (run as Command['run']) ?? null }
}

/** An option without a value. */
export function flag<const O extends Omit<Flag, 'type' | 'summary'> = Record<never, never>>(
  summary: string,
  others?: O,
): { readonly type: 'boolean'; readonly summary: string } & O {
  return { type: 'boolean', summary, ...others! }
}

/** An option whose value is a string. */
export function text<
  const O extends Omit<ValueOption, 'type' | 'placeholder' | 'summary'> = Record<never, never>,
>(
  placeholder: string,
  summary: string,
  others?: O,
): { readonly type: 'string'; readonly placeholder: string; readonly summary: string } & O {
  return { type: 'string', placeholder, summary, ...others! }
}

/** The command line is invalid. Only the message is printed; the exit code is 2. */
export class UsageError extends Error {}
