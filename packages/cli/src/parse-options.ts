import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { didYouMean } from '@curfew/core/internal'
import { UsageError } from './command.ts'

type Values<T extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: T }>>['values']

/** The options of a command that takes nothing else. Throws `UsageError` for what it does not know. */
export function parseOptions<const T extends ParseArgsOptionsConfig>(
  command: string,
  args: readonly string[],
  options: T,
): Values<T> {
  return parseCommandLine(command, args, options, 0).values
}

/** Options, and at most so many other arguments. */
export function parseCommandLine<const T extends ParseArgsOptionsConfig>(
  command: string,
  args: readonly string[],
  options: T,
  mostArguments: number,
): { values: Values<T>; positionals: string[] } {
  const wrong = (problem: string, hint = ''): UsageError =>
    new UsageError(
      `curfew ${command}: ${problem}; ${hint === '' ? '' : `${hint} `}curfew ${command} --help lists what it takes`,
    )
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true })
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind === 'option' && !Object.hasOwn(options, token.name)) {
      const known = Object.keys(options).map((name) => `--${name}`)
      throw wrong(`there is no option "${token.rawName}"`, didYouMean(token.rawName, known))
    }
  }
  const extra = positionals[mostArguments]
  if (extra !== undefined) throw wrong(`it takes no argument ${JSON.stringify(extra)}`)
  try {
    return { values: parseArgs({ args, options, allowPositionals: true }).values, positionals }
  } catch (error) {
    throw wrong((error as Error).message.split('\n', 1)[0]!.replace(/\.$/, ''))
  }
}
