import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { Command, Input, Option, UsageError } from '../command.ts'
import { usageError } from './usage-error.ts'

/** Creates the error for a problem, with advice on how to fix it. */
type Fail = (problem: string, ...advice: readonly string[]) => UsageError

/** Parses the declared arguments and options. Returns `'help'` if `--help` is among them. */
export async function parseArguments(
  command: Command,
  path: string,
  args: readonly string[],
): Promise<Input | 'help'> {
  const fail: Fail = (problem, ...advice) => usageError(path, problem, ...advice)
  const hint = command.usageHint(args) ?? ''
  const { tokens } = parseArgs({
    args: withInlineValues(command.options, args),
    options: toParseArgs(command.options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  if (tokens.some((token) => token.kind === 'option' && token.name === 'help')) return 'help'
  const parsed = new Map<string, unknown[]>()
  const positionals: string[] = []
  const afterDashes: string[] = []
  const takesDashes = Object.values(command.arguments).some((argument) => argument.afterDashes)
  let list = positionals
  for (const token of tokens) {
    if (token.kind === 'option-terminator') list = takesDashes ? afterDashes : positionals
    else if (token.kind === 'positional') list.push(token.value)
    else {
      const option = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined
      if (option === undefined) throw await unknownOption(command, token.rawName, hint, fail)
      parsed.set(token.name, [...(parsed.get(token.name) ?? []), await parseValue(option, token, fail)])
    }
  }
  checkCombinations(command.options, parsed, fail)
  const options = Object.entries(command.options).map(([name, option]) => [
    name,
    optionValue(option, parsed.get(name)),
  ])
  const { values, unexpected } = assignArguments(command, positionals, afterDashes, fail)
  if (unexpected !== undefined)
    throw fail(command.unexpectedArgument ?? `unexpected argument ${JSON.stringify(unexpected)}`, hint)
  return { ...values, ...Object.fromEntries(options) }
}

function toParseArgs(options: Command['options']): ParseArgsOptionsConfig {
  const entries = Object.entries(options).map(([name, { type, short }]) => [
    name,
    { type: type === 'boolean' ? 'boolean' : 'string', ...(short !== undefined && { short }) },
  ])
  return { ...Object.fromEntries(entries), help: { type: 'boolean', short: 'h' } }
}

/**
 * Attaches their values to options whose value may be omitted: `--resume k3f` becomes `--resume=k3f`, and `--resume -p` becomes
 * `--resume= -p`. What looks like an option is not a value; a prompt that starts with a dash is, because it contains blanks.
 */
function withInlineValues(options: Command['options'], args: readonly string[]): string[] {
  const rest = [...args]
  const written: string[] = []
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') return [...written, arg, ...rest]
    const [name, option] = findOption(options, arg) ?? []
    const takesValue = option !== undefined && option.type !== 'boolean'
    if (!takesValue || rest.length === 0) {
      written.push(takesValue && option.optionalValue ? `--${name}=` : arg)
      continue
    }
    if (!option.optionalValue) written.push(arg, rest.shift()!)
    else written.push(`--${name}=${isOption(rest[0]!) ? '' : rest.shift()}`)
  }
  return written
}

function isOption(arg: string): boolean {
  return arg === '--' || /^--?[A-Za-z][\w-]*(=|$)/.test(arg)
}

/** The option that an argument names, without a value. */
function findOption(options: Command['options'], arg: string): [string, Option] | undefined {
  return Object.entries(options).find(
    ([name, { short }]) => arg === `--${name}` || (short !== undefined && arg === `-${short}`),
  )
}

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

async function parseValue(option: Option, token: OptionToken, fail: Fail): Promise<unknown> {
  const { name, rawName, value, inlineValue } = token
  const got = value === undefined ? 'nothing' : JSON.stringify(value)
  const invalid = (expected: string): UsageError => fail(`${rawName}: expected ${expected}, got ${got}`)
  switch (option.type) {
    case 'boolean':
      if (value === undefined) return true
      throw invalid('no value')
    case 'string':
      if (value === undefined) throw invalid(option.placeholder)
      if (inlineValue || value.length === 1 || !value.startsWith('-')) return value
      throw fail(
        `${rawName}: expected ${option.placeholder}, got the option ${value}`,
        `If it is the value, write --${name}=${value}.`,
      )
    case 'choice':
      if (value !== undefined && option.choices!.includes(value)) return value
      throw invalid(listChoices(option.choices!))
    case 'integer': {
      const { min = 0, max = Number.MAX_SAFE_INTEGER } = option
      const number = /^\d+$/.test(value ?? '') ? Number(value) : Number.NaN
      if (number >= min && number <= max) return number
      throw invalid(`an integer from ${min} to ${max}`)
    }
    case 'duration': {
      const { parseDurationOption } = await import('./parse-duration-option.ts')
      const ms = value === undefined ? null : parseDurationOption(value)
      if (ms !== null) return ms
      throw invalid('a duration such as 30 (seconds), 250ms or 2m')
    }
  }
}

async function unknownOption(
  { options }: Command,
  rawName: string,
  hint: string,
  fail: Fail,
): Promise<UsageError> {
  const { suggest } = await import('./suggest.ts')
  const known = ['help', ...Object.keys(options)].map((name) => `--${name}`)
  return fail(`unknown option ${JSON.stringify(rawName)}`, suggest(rawName, known), hint)
}

function checkCombinations(
  options: Command['options'],
  parsed: ReadonlyMap<string, unknown>,
  fail: Fail,
): void {
  for (const name of parsed.keys()) {
    const { requires = [], conflicts = [] } = options[name]!
    const missing = requires.find((other) => !parsed.has(other))
    if (missing !== undefined) throw fail(`--${name} requires --${missing}`)
    const conflicting = conflicts.find((other) => parsed.has(other))
    if (conflicting !== undefined) throw fail(`--${name} and --${conflicting} cannot be combined`)
  }
}

function optionValue(option: Option, values: readonly unknown[] | undefined): unknown {
  if (option.type === 'boolean') return values !== undefined
  if (option.multiple) return values ?? []
  return values === undefined ? option.default : values.at(-1)
}

function assignArguments(
  command: Command,
  positionals: readonly string[],
  afterDashes: readonly string[],
  fail: Fail,
): { readonly values: Input; readonly unexpected: string | undefined } {
  const remaining = [...positionals]
  const entries = Object.entries(command.arguments).map(([name, argument]) => {
    const { placeholder, choices } = argument
    if (argument.afterDashes) return [name, afterDashes]
    if (argument.multiple) return [name, remaining.splice(0)]
    const value = remaining.shift()
    if (value === undefined || value === '') {
      if (argument.optional) return [name, undefined]
      const [example] = Object.keys(command.examples)
      throw fail(`missing argument ${placeholder}`, example === undefined ? '' : `Example: ${example}.`)
    }
    if (choices !== undefined && !choices.includes(value))
      throw fail(`${placeholder}: expected ${listChoices(choices)}, got ${JSON.stringify(value)}`)
    return [name, value]
  })
  return { values: Object.fromEntries(entries), unexpected: remaining[0] }
}

/** `stub, brief or full` */
function listChoices(choices: readonly string[]): string {
  return `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}
