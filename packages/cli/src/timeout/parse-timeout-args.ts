import { parseGnuDuration } from './parse-gnu-duration.ts'
import { parseSignal } from './parse-signal.ts'

export interface TimeoutArgs {
  readonly seconds: number
  readonly argv: readonly [string, ...string[]]
  readonly killAfterSeconds: number | null
  readonly signal: number
  readonly verbose: boolean
  readonly preserveStatus: boolean
  readonly foreground: boolean
  readonly json: boolean
  readonly maxOutputBytes: number
}

/** The command line cannot be used; GNU's exit code for that is 125. */
export class TimeoutUsageError extends Error {}

/** With a value or without, by their long names; short ones stand for these. */
const withValue = ['kill-after', 'signal', 'max-output'] as const
const flags = ['verbose', 'preserve-status', 'foreground', 'json', 'help'] as const
const short: Record<string, Option> = {
  k: 'kill-after',
  s: 'signal',
  v: 'verbose',
  p: 'preserve-status',
  f: 'foreground',
  h: 'help',
}
type Option = (typeof withValue)[number] | (typeof flags)[number]

/** `'help'` if that is all that is wanted. Options end at the first word that is none: what follows is the command's. */
export function parseTimeoutArgs(args: readonly string[]): TimeoutArgs | 'help' {
  const options = new Map<Option, string>()
  let at = 0
  for (; at < args.length; at++) {
    const word = args[at]!
    if (word === '--') {
      at++
      break
    }
    if (!word.startsWith('-') || word === '-') break
    const next = (option: Option): string => {
      const value = args[++at]
      if (value === undefined) throw new TimeoutUsageError(`option ${word} needs a value (${option})`)
      return value
    }
    if (word.startsWith('--')) readLong(word, options, next)
    else readShort(word, options, next)
  }
  if (options.has('help')) return 'help'
  const [duration, ...argv] = args.slice(at)
  if (duration === undefined) throw new TimeoutUsageError('there is no DURATION')
  const seconds = readDuration(duration, 'DURATION')
  if (argv.length === 0) throw new TimeoutUsageError('there is no COMMAND')
  const killAfter = options.get('kill-after')
  const signal = options.get('signal') ?? 'TERM'
  const number = parseSignal(signal)
  if (number === null)
    throw new TimeoutUsageError(
      `${JSON.stringify(signal)} is no signal; write a name such as TERM, or a number`,
    )
  return {
    seconds,
    argv: argv as [string, ...string[]],
    killAfterSeconds: killAfter === undefined ? null : readDuration(killAfter, '--kill-after'),
    signal: number,
    verbose: options.has('verbose'),
    preserveStatus: options.has('preserve-status'),
    foreground: options.has('foreground'),
    json: options.has('json'),
    maxOutputBytes: readBytes(options.get('max-output')),
  }
}

function readLong(word: string, options: Map<Option, string>, next: (option: Option) => string): void {
  const [name, ...rest] = word.slice(2).split('=')
  const known: readonly Option[] = [...withValue, ...flags]
  const matches = known.includes(name as Option)
    ? [name as Option]
    : known.filter((option) => option.startsWith(name!))
  const [option] = matches
  if (option === undefined || matches.length > 1) {
    throw new TimeoutUsageError(
      `there is no option ${word}${matches.length > 1 ? `; ${matches.join(' or ')}?` : ''}`,
    )
  }
  const takesValue = (withValue as readonly string[]).includes(option)
  if (!takesValue && rest.length > 0) throw new TimeoutUsageError(`option --${option} takes no value`)
  options.set(option, rest.length > 0 ? rest.join('=') : takesValue ? next(option) : '')
}

function readShort(word: string, options: Map<Option, string>, next: (option: Option) => string): void {
  for (let at = 1; at < word.length; at++) {
    const option = short[word[at]!]
    if (option === undefined) throw new TimeoutUsageError(`there is no option -${word[at]}`)
    if (!(withValue as readonly string[]).includes(option)) {
      options.set(option, '')
      continue
    }
    const rest = word.slice(at + 1)
    options.set(option, rest === '' ? next(option) : rest)
    return
  }
}

function readDuration(text: string, field: string): number {
  const seconds = parseGnuDuration(text)
  if (seconds !== null) return seconds
  throw new TimeoutUsageError(
    `${field}: ${JSON.stringify(text)} is no duration; write seconds, or 90s, 5m, 2h, 1d`,
  )
}

function readBytes(text: string | undefined): number {
  if (text === undefined) return 65_536
  const bytes = Number(text)
  if (/^\d+$/.test(text) && bytes <= 2 ** 30) return bytes
  throw new TimeoutUsageError(`--max-output: ${JSON.stringify(text)} is no number of bytes up to ${2 ** 30}`)
}
