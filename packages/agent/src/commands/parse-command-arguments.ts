import { CurfewError } from '@curfew/core'
import { didYouMean } from '@curfew/core/internal'
import { type CommandArgument, type SlashCommand, usageOf } from './slash-command.ts'
import { splitWords } from './split-words.ts'

type Values = Record<string, string | number | undefined>

/**
 * The values of a command's arguments, by name.
 *
 * @throws CurfewError `INVALID_PARAMS` with what is missing or wrong.
 */
export function parseCommandArguments(command: SlashCommand, text: string): Values {
  const values: Values = {}
  let rest = text
  for (const [name, argument] of Object.entries(command.arguments)) {
    if (argument.type === 'rest') {
      values[name] = rest === '' ? missing(command, name, argument) : rest
      return values
    }
    const [word, after] = nextWord(rest)
    values[name] = word === null ? missing(command, name, argument) : convert(command, name, argument, word)
    rest = after
  }
  if (rest !== '') {
    const problem = command.unexpectedArgument ?? `unexpected argument ${JSON.stringify(rest)}`
    throw invalid(command, problem)
  }
  return values
}

/** The first word, without its quotes, and what follows it. */
function nextWord(text: string): readonly [string | null, string] {
  if (text === '') return [null, '']
  const [raw = text] = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/s.exec(text) ?? []
  return [splitWords(raw).join(' '), text.slice(raw.length).trimStart()]
}

function missing(command: SlashCommand, name: string, { optional, summary }: CommandArgument): undefined {
  if (!optional) throw invalid(command, `expected ${name.toUpperCase()}: ${summary}`)
  return undefined
}

function convert(
  command: SlashCommand,
  name: string,
  { type, choices }: CommandArgument,
  word: string,
): string | number {
  if (type === 'integer') {
    if (/^\d{1,9}$/.test(word)) return Number(word)
    throw invalid(command, `${name.toUpperCase()}: expected a number, got ${JSON.stringify(word)}`)
  }
  if (choices === undefined || choices.includes(word)) return word
  const hint = didYouMean(word, choices)
  const expected = `expected one of ${choices.join(', ')}, got ${JSON.stringify(word)}`
  throw invalid(command, hint === '' ? expected : `${expected}; ${hint}`)
}

function invalid(command: SlashCommand, problem: string): CurfewError {
  return new CurfewError('INVALID_PARAMS', `/${command.name}: ${problem}; usage: ${usageOf(command)}`)
}
