import type { Command } from '../command.ts'
import { timeoutOptions } from '../commands/timeout-command.ts'
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

/** The arguments are invalid. The exit code is 125, as with GNU timeout. */
export class TimeoutUsageError extends Error {}

const declared: Command['options'] = {
  ...timeoutOptions,
  help: { type: 'boolean', short: 'h', summary: 'Show this help' },
}

/** Parses as GNU timeout does: options end at the first other argument, and may be abbreviated. */
export function parseTimeoutArgs(args: readonly string[]): TimeoutArgs | 'help' {
  const options = new Map<string, string>()
  let at = 0
  for (; at < args.length; at++) {
    const word = args[at]!
    if (word === '--') {
      at++
      break
    }
    if (!word.startsWith('-') || word === '-') break
    const next = (option: string): string => {
      const value = args[++at]
      if (value === undefined)
        throw new TimeoutUsageError(`${word}: expected a value for --${option}, got nothing`)
      return value
    }
    if (word.startsWith('--')) readLong(word, options, next)
    else readShort(word, options, next)
  }
  if (options.has('help')) return 'help'
  const [duration, ...argv] = args.slice(at)
  if (duration === undefined) throw new TimeoutUsageError('missing argument DURATION')
  const seconds = readDuration(duration, 'DURATION')
  if (argv.length === 0) throw new TimeoutUsageError('missing argument COMMAND')
  const killAfter = options.get('kill-after')
  const signal = options.get('signal') ?? 'TERM'
  const number = parseSignal(signal)
  if (number === null)
    throw new TimeoutUsageError(
      `--signal: expected a name such as TERM, or a number, got ${JSON.stringify(signal)}`,
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

function readLong(word: string, options: Map<string, string>, next: (option: string) => string): void {
  const [name, ...rest] = word.slice(2).split('=')
  const known = Object.keys(declared)
  const matches = known.includes(name!) ? [name!] : known.filter((option) => option.startsWith(name!))
  const [option] = matches
  if (option === undefined || matches.length > 1) {
    throw new TimeoutUsageError(
      matches.length > 1 ? `ambiguous option ${word}: --${matches.join(' or --')}` : `unknown option ${word}`,
    )
  }
  const takesValue = declared[option]!.type !== 'boolean'
  if (!takesValue && rest.length > 0)
    throw new TimeoutUsageError(`--${option}: expected no value, got ${JSON.stringify(rest.join('='))}`)
  options.set(option, rest.length > 0 ? rest.join('=') : takesValue ? next(option) : '')
}

function readShort(word: string, options: Map<string, string>, next: (option: string) => string): void {
  for (let at = 1; at < word.length; at++) {
    const [option, declaration] = Object.entries(declared).find(([, { short }]) => short === word[at]) ?? []
    if (option === undefined) throw new TimeoutUsageError(`unknown option -${word[at]}`)
    if (declaration!.type === 'boolean') {
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
    `${field}: expected seconds, or a number with a unit such as 250ms, 90s, 5m, 2h or 1d, got ${JSON.stringify(text)}`,
  )
}

function readBytes(text: string | undefined): number {
  if (text === undefined) return 65_536
  const bytes = Number(text)
  if (/^\d+$/.test(text) && bytes <= 2 ** 30) return bytes
  throw new TimeoutUsageError(
    `--max-output: expected an integer from 0 to ${2 ** 30}, got ${JSON.stringify(text)}`,
  )
}
