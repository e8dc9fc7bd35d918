import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { type Argument, type Command, type Input, type Option, UsageError } from '../command.ts'

/** The declared arguments and options as their types, or `'help'` if `--help` is among them. */
export async function parseInput(
  command: Command,
  path: string,
  args: readonly string[],
): Promise<Input | 'help'> {
  const { tokens } = parseArgs({
    args,
    options: toParseArgs(command.options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  if (tokens.some((token) => token.kind === 'option' && token.name === 'help')) return 'help'
  const given = new Map<string, unknown[]>()
  const positionals: string[] = []
  const afterDashes: string[] = []
  const takesDashes = Object.values(command.arguments).some((argument) => argument.afterDashes)
  let list = positionals
  for (const token of tokens) {
    if (token.kind === 'option-terminator') list = takesDashes ? afterDashes : positionals
    else if (token.kind === 'positional') list.push(token.value)
    else {
      const option = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined
      if (option === undefined) throw await unknownOption(command, path, token.rawName)
      given.set(token.name, [...(given.get(token.name) ?? []), await parseValue(option, path, token)])
    }
  }
  checkCombinations(command.options, given, path)
  const options = Object.entries(command.options).map(([name, option]) => [
    name,
    valueOf(option, given.get(name)),
  ])
  return { ...assignArguments(command, path, positionals, afterDashes), ...Object.fromEntries(options) }
}

function toParseArgs(options: Command['options']): ParseArgsOptionsConfig {
  const entries = Object.entries(options).map(([name, { type, short }]) => [
    name,
    { type: type === 'boolean' ? 'boolean' : 'string', ...(short !== undefined && { short }) },
  ])
  return { ...Object.fromEntries(entries), help: { type: 'boolean', short: 'h' } }
}

interface OptionToken {
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

async function parseValue(option: Option, path: string, token: OptionToken): Promise<unknown> {
  const { rawName, value, inlineValue } = token
  const invalid = (expected: string, got: string): UsageError =>
    new UsageError(`${path}: ${rawName}: expected ${expected}, got ${got}. See ${path} --help`)
  if (option.type === 'boolean') {
    if (value !== undefined) throw invalid('no value', JSON.stringify(value))
    return true
  }
  const { placeholder } = option
  if (value === undefined) throw invalid(placeholder, 'nothing')
  if (!inlineValue && value.length > 1 && value.startsWith('-'))
    throw invalid(placeholder, `the option ${value}; write ${rawName}=${value} if it is the value`)
  switch (option.type) {
    case 'choice': {
      if (option.choices!.includes(value)) return value
      throw invalid(listChoices(option.choices!), JSON.stringify(value))
    }
    case 'integer': {
      const { min = 0, max = Number.MAX_SAFE_INTEGER } = option
      if (/^\d+$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value)
      throw invalid(`an integer from ${min} to ${max}`, JSON.stringify(value))
    }
    case 'duration': {
      const { parseDurationOption } = await import('./parse-duration-option.ts')
      const ms = parseDurationOption(value)
      if (ms !== null) return ms
      throw invalid('a duration such as 30 (seconds), 250ms or 2m', JSON.stringify(value))
    }
    default:
      return value
  }
}

async function unknownOption({ options }: Command, path: string, rawName: string): Promise<UsageError> {
  const { suggest } = await import('./suggest.ts')
  const known = ['help', ...Object.keys(options)].map((name) => `--${name}`)
  return new UsageError(
    `${path}: unknown option ${JSON.stringify(rawName)}.${suggest(rawName, known)} See ${path} --help`,
  )
}

function checkCombinations(
  options: Command['options'],
  given: ReadonlyMap<string, unknown>,
  path: string,
): void {
  for (const name of given.keys()) {
    const { requires = [], conflicts = [] } = options[name]!
    const missing = requires.find((other) => !given.has(other))
    if (missing !== undefined)
      throw new UsageError(`${path}: --${name} requires --${missing}. See ${path} --help`)
    const conflicting = conflicts.find((other) => given.has(other))
    if (conflicting !== undefined)
      throw new UsageError(`${path}: --${name} and --${conflicting} cannot be combined. See ${path} --help`)
  }
}

function valueOf(option: Option, values: readonly unknown[] | undefined): unknown {
  if (option.type === 'boolean') return values !== undefined
  if (option.multiple) return values ?? []
  return values === undefined ? option.default : values.at(-1)
}

function assignArguments(
  { arguments: declared, examples, unexpectedArgument }: Command,
  path: string,
  positionals: readonly string[],
  afterDashes: readonly string[],
): Record<string, unknown> {
  const left = [...positionals]
  const entries = Object.entries(declared).map(([name, argument]) => {
    if (argument.afterDashes) return [name, afterDashes]
    if (argument.multiple) return [name, left.splice(0).map((value) => checkChoice(argument, path, value))]
    const value = left.shift()
    if (value !== undefined && value !== '') return [name, checkChoice(argument, path, value)]
    if (argument.optional) return [name, undefined]
    const example = examples[0] === undefined ? '' : `, as in: ${examples[0].command}`
    throw new UsageError(`${path}: missing argument ${argument.placeholder}${example}. See ${path} --help`)
  })
  if (left.length > 0) {
    const problem = unexpectedArgument ?? `unexpected argument ${JSON.stringify(left[0])}`
    throw new UsageError(`${path}: ${problem}. See ${path} --help`)
  }
  return Object.fromEntries(entries)
}

function checkChoice({ placeholder, choices }: Argument, path: string, value: string): string {
  if (choices === undefined || choices.includes(value)) return value
  throw new UsageError(
    `${path}: ${placeholder}: expected ${listChoices(choices)}, got ${JSON.stringify(value)}. See ${path} --help`,
  )
}

/** `stub, brief or full` */
function listChoices(choices: readonly string[]): string {
  return `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}
