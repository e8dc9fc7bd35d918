import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { didYouMean } from '@curfew/core/did-you-mean'
import { UsageError } from './command.ts'

type Values<T extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: T }>>['values']

/** The options of a command that takes nothing else. Throws `UsageError` for what it does not know. */
export function parseOptions<const T extends ParseArgsOptionsConfig>(
  command: string,
  args: readonly string[],
  options: T,
): Values<T> {
  const wrong = (problem: string, hint = ''): UsageError =>
    new UsageError(
      `curfew ${command}: ${problem}; ${hint === '' ? '' : `${hint} `}curfew ${command} --help lists its options`,
    )
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true })
  for (const token of tokens) {
    if (token.kind === 'positional') throw wrong(`it takes no argument ${JSON.stringify(token.value)}`)
    if (token.kind === 'option' && !Object.hasOwn(options, token.name)) {
      const known = Object.keys(options).map((name) => `--${name}`)
      throw wrong(`there is no option "${token.rawName}"`, didYouMean(token.rawName, known))
    }
  }
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    throw wrong((error as Error).message)
  }
}
